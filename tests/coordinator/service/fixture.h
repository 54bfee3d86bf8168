// Use cases on a real database: agents that claim, deliver and end attempts as the gateway would
// let them.
#pragma once

#include <string>
#include <vector>

#include "coordinator/service/arrive.h"
#include "coordinator/service/cancel.h"
#include "coordinator/service/ingest.h"
#include "coordinator/service/reap.h"
#include "coordinator/service/work.h"
#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::service {

using store::AgentChoice;
using store::must;

class ServiceTest : public store::StoreTest {
 protected:
  ports::Registration agentOn(const std::string& machine) {
    AgentChoice choice;
    choice.name = "agent on " + machine;
    choice.machine = machine;
    choice.boot = "boot of " + machine;
    return enter(choice);
  }
  std::optional<model::Assignment> take(const ports::Registration& who) {
    return must(takeWork(*db_, Settings(), who));
  }
  // The probe of makeCampaign is cpu; its one metric.
  static model::SampleChunk chunkOf(std::uint32_t number, const std::vector<double>& values) {
    model::SampleChunk chunk;
    chunk.number = number;
    std::uint32_t index = number * 100;
    for (double value : values) {
      model::Sample sample;
      sample.metric = "cpu_rate";
      sample.index = index++;
      sample.startedAtNs = 1'796'054'400'000'000'000;
      sample.value = value;
      chunk.samples.push_back(sample);
    }
    return chunk;
  }
  IngestReply end(const ports::Registration& who, const model::LeaseRef& lease,
                  model::Outcome outcome, std::uint32_t chunks = 0,
                  const std::string& message = "") {
    model::Completion completion;
    completion.outcome = outcome;
    completion.chunkCount = chunks;
    completion.message = message;
    return must(complete(*db_, Settings(), {who, lease, completion, {}}));
  }
  std::string stepState(base::StepId step) {
    return sql("SELECT state FROM fleetmark.step WHERE id = " + std::to_string(step.value));
  }
  std::string stepMessage(base::StepId step) {
    return sql("SELECT message FROM fleetmark.step WHERE id = " + std::to_string(step.value));
  }
  std::string campaignState(base::CampaignId id) {
    return sql("SELECT state FROM fleetmark.campaign WHERE id = " + std::to_string(id.value));
  }
  // As if it were that much later: every time the schedule looks at moves into the past.
  void later(const std::string& interval) {
    sql("UPDATE fleetmark.step SET run_after = run_after - interval '" + interval +
        "' WHERE run_after > '-infinity'; UPDATE fleetmark.lease SET expires_at = expires_at - "
        "interval '" +
        interval +
        "'; UPDATE fleetmark.step_group SET gathering_since = gathering_since - interval '" +
        interval + "'; UPDATE fleetmark.job SET started_at = started_at - interval '" + interval +
        "'; UPDATE fleetmark.campaign SET started_at = started_at - interval '" + interval + "'");
  }
};

}  // namespace fleetmark::coordinator::service
