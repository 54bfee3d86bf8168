// Writes the binary seeds of the corpora: fuzz_seeds tests/fuzz/corpus. To be run again when a
// schema grows. Text seeds are written by hand.
#include <capnp/message.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "agent/core/spool_record.h"
#include "common/crypto/certificate.h"
#include "common/rpc/agent_codec.h"
#include "common/rpc/agent_wire_codec.h"
#include "common/rpc/message_bytes_codec.h"
#include "common/rpc/probe_pipe.h"
#include "coordinator/rpc/operator_wire_codec.h"
#include "tests/common/codec/values.h"

namespace {

using namespace fleetmark;
namespace fs = std::filesystem;

// With the byte that chooses the type in agent_wire_fuzz.cpp and operator_wire_fuzz.cpp.
template <typename Schema, typename Model>
std::string message(char type, const Model& model) {
  capnp::MallocMessageBuilder builder;
  auto root = builder.initRoot<Schema>();
  using coordinator::rpc::toWire;
  using rpc::toWire;
  toWire(model, root);
  return type + rpc::flatten(builder);
}

class Corpus {
 public:
  Corpus(fs::path root, const std::string& target) : folder_(std::move(root) / target) {
    fs::create_directories(folder_);
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

 private:
  fs::path folder_;
};

model::Assignment quietAssignment() {
  auto out = tests::fullAssignment();
  out.quiet = model::QuietSpec{0.25, std::chrono::seconds(30), model::QuietOtherwise::kFail};
  out.group = "pair";
  return out;
}

void agentWire(const fs::path& root) {
  Corpus corpus(root, "agent_wire");
  corpus.write("hello", message<schema::AgentHello>(0, tests::fullHello()));
  corpus.write("assignment", message<schema::Assignment>(1, tests::fullAssignment()));
  corpus.write("assignment_quiet", message<schema::Assignment>(1, quietAssignment()));
  corpus.write("chunk", message<schema::SampleChunk>(2, tests::fullChunk()));
  corpus.write("completion", message<schema::Completion>(3, tests::fullCompletion()));
  corpus.write("lease", message<schema::LeaseRef>(4, tests::fullLease()));
  corpus.write("sample", message<schema::Sample>(5, tests::fullSample()));
  corpus.write("notice", message<schema::Notice>(6, model::Notice{"disk/pin", "not pinned"}));
  corpus.write("answers", std::string("\x07\x00\x01\x02\x03\x04\x05\x06\xff", 9));
}

void operatorWire(const fs::path& root) {
  using namespace coordinator;
  Corpus corpus(root, "operator_wire");
  ports::CampaignSummary summary;
  summary.id = {4};
  summary.name = "november";
  summary.state = domain::CampaignState::kRunning;
  summary.submittedAt = base::fromUnixNanos(1'796'054'400'000'000'000);
  summary.finishedAt = base::fromUnixNanos(1'796'054'460'000'000'000);
  summary.stepsTotal = 12;
  summary.estimate = std::chrono::minutes(7);
  corpus.write("summary", message<schema::CampaignSummary>(0, summary));
  ports::StepStatus step;
  step.step = {9};
  step.job = {8};
  step.runner = "local-a";
  step.probe = "disk";
  step.fingerprint = "0123456789ab";
  step.stepName = "measure";
  step.state = domain::StepState::kLeased;
  step.agent = "local-a";
  step.progress = "sample 2 of 5";
  step.message = "the file system is full";
  step.headlineMetric = "disk_read_rate";
  step.headlineValue = 3.5e9;
  step.headlineCv = 0.02;
  step.startedAt = base::fromUnixNanos(1'796'054'400'000'000'001);
  step.waiting = "machine busy: local-a disk";
  corpus.write("step", message<schema::StepStatus>(1, step));
  ports::CampaignEvent event{"17", base::fromUnixNanos(1), "step.claimed", {9}, R"({"epoch":1})"};
  corpus.write("event", message<schema::CampaignEvent>(2, event));
  ports::AgentView agent;
  agent.id = tests::kAgent;
  agent.name = "local-a";
  agent.state = "busy";
  agent.labels = {{"os", "linux"}};
  agent.probes = {"cpu/1", "disk/1"};
  agent.doing = "quick / local-a / disk";
  agent.clockOffset = std::chrono::seconds(-3);
  corpus.write("agent", message<schema::AgentStatus>(3, agent));
  ports::Table table{{"name", "n"}, {{"a", "1"}, {std::nullopt, "2"}, {}}, true};
  corpus.write("table", message<schema::Table>(4, table));
  ports::SubmitOptions submit{"campaign: c\nprobes: [cpu]\n", "c.yaml", {{"x", "1"}}, true, "k-1"};
  corpus.write("submit", message<schema::OperatorGateway::SubmitRequest>(5, submit));
  corpus.write("codes", std::string("\x06\x00\x01\x02\x03\xff", 6));
}

void probePipe(const fs::path& root) {
  Corpus corpus(root, "probe_pipe");
  std::string sample = rpc::encodeProbeEvent(tests::fullSample());
  std::string notice = rpc::encodeProbeEvent(model::Notice{"disk/cleanup", "the file was gone"});
  std::string progress = rpc::encodeProbeEvent(rpc::ProbeProgress{"sample 2 of 5"});
  std::string done = rpc::encodeProbeEvent(rpc::ProbeDone{});
  std::string failed = rpc::encodeProbeEvent(
      rpc::ProbeFailed{{base::ErrorCode::kUnavailable, "the file system is read-only"}});
  corpus.write("measured", progress + sample + notice + sample + done);
  corpus.write("failed", progress + failed);
  corpus.write("cut", sample + notice.substr(0, notice.size() / 2));
}

void spool(const fs::path& root) {
  using agent::core::encodeRecord;
  using agent::core::RecordType;
  auto chunk = [](std::uint32_t number) {
    model::SampleChunk out;
    out.number = number;
    out.samples = {tests::fullSample()};
    return encodeRecord(RecordType::kChunk, number, rpc::encodeSampleChunk(out));
  };
  auto completion = tests::fullCompletion();
  completion.chunkCount = 2;
  std::string begun =
      encodeRecord(RecordType::kAssignment, 0, rpc::encodeAssignment(quietAssignment()));
  std::string end = encodeRecord(RecordType::kCompletion, 0, rpc::encodeCompletion(completion));
  std::string whole = begun + chunk(0) + chunk(1) + end;
  std::string spoiled = whole;
  spoiled[begun.size() + 7] = 1;  // spool_bytes.h: this record's proof is not put right
  spoiled[begun.size() + 40] ^= 1;
  for (const char* target : {"spool_record", "spool_recovery"}) {
    Corpus corpus(root, target);
    corpus.write("whole", whole);
    corpus.write("open", begun + chunk(0));
    corpus.write("torn", whole.substr(0, whole.size() - 20));
    corpus.write("spoiled", spoiled);
    corpus.write("disordered", begun + chunk(1) + end);
    corpus.write("too_few_chunks", begun + chunk(0) + end);
    corpus.write("headless", chunk(0) + end);
    corpus.write("no_assignment", encodeRecord(RecordType::kAssignment, 0, "not Cap'n Proto."));
  }
}

void certificate(const fs::path& root) {
  Corpus corpus(root, "certificate");
  auto key = crypto::makeKeyPem();
  if (!key) return;
  auto request = crypto::makeRequestPem(*key, "local-a");
  auto ca = crypto::makeCa("fuzz", {base::fromUnixNanos(1'700'000'000'000'000'000),
                                    base::fromUnixNanos(1'900'000'000'000'000'000)});
  if (!request || !ca) return;
  corpus.write("request.pem", *request);
  corpus.write("certificate.pem", ca->certificatePem);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_seeds FOLDER    (tests/fuzz/corpus)\n";
    return 2;
  }
  fs::path root = argv[1];
  agentWire(root);
  operatorWire(root);
  probePipe(root);
  spool(root);
  // Its keys are random: new files each time, so only where there are none.
  if (!fs::exists(root / "certificate")) certificate(root);
  return 0;
}
