#include "coordinator/ports/store.h"

#include <string>
#include <utility>

namespace fleetmark::coordinator::ports {

base::Result<std::optional<model::Assignment>> QueueStore::claim(const ClaimRequest& request) {
  FM_TRY_ASSIGN(auto each, claimEach({&request, 1}));
  return std::move(each.at(0));
}

base::Result<StepSnapshot> QueueStore::lock(base::StepId step, std::int32_t epoch) {
  const StepEpoch one{step, epoch};
  FM_TRY_ASSIGN(auto each, lockEach({&one, 1}));
  if (each.at(0)) return std::move(*each[0]);
  return base::notFound("there is no step " + std::to_string(step.value) +
                        "; its campaign may have been deleted");
}

base::Result<model::IngestAnswer> SampleStore::append(base::AttemptId attempt,
                                                      const model::SampleChunk& chunk) {
  const AttemptChunk one{attempt, &chunk};
  FM_TRY_ASSIGN(auto each, appendEach({&one, 1}));
  return each.at(0);
}

base::Status SampleStore::insertResults(base::AttemptId attempt,
                                        std::span<const MetricResult> results) {
  const AttemptResults one{attempt, {results.begin(), results.end()}};
  return insertResultsEach({&one, 1});
}

}  // namespace fleetmark::coordinator::ports
