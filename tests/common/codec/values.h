// Values with every field filled in, and the way of one over the wire.
#pragma once

#include <capnp/message.h>

#include <string>
#include <utility>

#include "common/rpc/agent_wire_codec.h"

namespace fleetmark::tests {

inline const base::AgentId kAgent = *base::Uuid::parse("0f8fad5b-d9cb-469f-a165-70867728950e");

inline model::Sample fullSample() {
  model::Sample sample;
  sample.metric = "disk_read_rate";
  sample.index = 4'294'967'295;
  sample.startedAtNs = 1'796'054'400'000'000'001;
  sample.value = 3.5e9;
  sample.verdict = model::Verdict::kContended;
  sample.reasons = {"load was 3.1 on 2 CPUs", "größer als erlaubt \xF0\x9F\x90\x8C"};
  sample.contextJson = R"({"load":3.1,"proof":{"bytes":[1,2]}})";
  return sample;
}

inline model::SampleChunk fullChunk() {
  model::SampleChunk chunk;
  chunk.number = 7;
  for (auto verdict : model::allVerdicts()) {
    chunk.samples.push_back(fullSample());
    chunk.samples.back().verdict = verdict;
  }
  chunk.samples.push_back({});
  chunk.samples.back().metric = "cpu_rate";
  chunk.samples.back().verdict = model::Verdict::kTimedOut;  // and no value
  return chunk;
}

inline model::Completion fullCompletion() {
  return {model::Outcome::kMeasurement,
          "the file system is read-only",
          12,
          {{"disk/cleanup", "the file was gone"}, {"disk/pin", ""}},
          R"({"governor":"performance"})",
          R"({"governor":"powersave"})",
          R"({"quiet":false})"};
}

inline model::LeaseRef fullLease() {
  return {base::StepId{9'000'000'000}, 3,
          std::string("0123456\0\xff"
                      "9abcdef",
                      16)};
}

inline model::Assignment fullAssignment() {
  model::Assignment out;
  out.lease = fullLease();
  out.attempt = base::AttemptId{INT64_MAX};
  out.campaign = base::CampaignId{4};
  out.campaignName = "november";
  out.runner = "big-arm";
  out.stepName = "measure";
  out.probe = "disk";
  out.protocol = 2;
  out.paramsJson = R"({"file_bytes":134217728})";
  out.placementJson = R"({"path":"/var/tmp"})";
  out.leaseTtl = std::chrono::seconds(15);
  out.timeLimit = std::chrono::hours(2);
  out.noProgressLimit = base::Nanos(1);
  return out;
}

inline model::AgentHello fullHello() {
  model::AgentHello out;
  out.agent = kAgent;
  out.name = "local-a";
  out.version = "0.1.0";
  out.labels = {{"agent", "local-a"}, {"region", "eu-west"}, {"empty", ""}};
  out.probes = {"cpu/1", "disk/1"};
  out.host = {"bench-1",
              "linux",
              "x64",
              "EPYC 7763",
              "kvm",
              "6.1.0",
              "Debian",
              "m-id",
              "boot-id",
              "key",
              3.5,
              16'000'000'000,
              R"({"thp":"madvise"})"};
  out.instanceNonce = "n-1";
  out.wallClockNs = -1;  // a clock before 1970 is a fact too
  return out;
}

template <typename Schema, typename Model, typename... More>
auto overTheWire(const Model& value, More... more) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<Schema>();
  rpc::toWire(value, root);
  return rpc::fromWire(root.asReader(), more...);
}

template <typename T>
bool refused(const base::Result<T>& result) {
  return !result.has_value() && result.error().code == base::ErrorCode::kInvalid &&
         !result.error().message.empty();
}

}  // namespace fleetmark::tests
