// Values that the tests of agent/core share.
#pragma once

#include <string>

#include "common/model/work.h"

namespace fleetmark::agent::core::testing {

inline std::string selftestParams(int samples, const std::string& fault,
                                  std::int64_t intervalNs = 0) {
  return "{\"samples\":" + std::to_string(samples) +
         ",\"interval_ns\":" + std::to_string(intervalNs) +
         ",\"seed\":1,\"shape\":\"single\",\"gap_ns\":0,\"host\":\"any\"," +
         "\"gather_ns\":60000000000,\"fault\":\"" + fault + "\"}";
}

inline model::Assignment makeAssignment(std::int64_t attempt = 42) {
  model::Assignment out;
  out.lease = {base::StepId{7}, 1, "0123456789abcdef"};
  out.attempt = base::AttemptId{attempt};
  out.campaign = base::CampaignId{3};
  out.campaignName = "quick";
  out.runner = "local";
  out.stepName = "measure";
  out.probe = "selftest";
  out.protocol = 1;
  out.paramsJson = selftestParams(4, "none");
  out.placementJson = "{}";
  out.leaseTtl = std::chrono::seconds(30);
  out.timeLimit = std::chrono::seconds(60);
  return out;
}

inline model::SampleChunk makeChunk(std::uint32_t number, std::size_t samples = 3) {
  model::SampleChunk chunk;
  chunk.number = number;
  for (std::size_t i = 0; i < samples; ++i) {
    model::Sample sample;
    sample.metric = "selftest_value";
    sample.index = static_cast<std::uint32_t>(number * samples + i);
    sample.startedAtNs = 1'796'054'400'000'000'000;
    sample.value = 0.5 + static_cast<double>(i);
    chunk.samples.push_back(sample);
  }
  return chunk;
}

inline model::Completion makeCompletion(std::uint32_t chunks) {
  model::Completion completion;
  completion.chunkCount = chunks;
  completion.notices.push_back({"cpu/pin", "not pinned"});
  return completion;
}

}  // namespace fleetmark::agent::core::testing
