#include "coordinator/domain/quarantine.h"

namespace fleetmark::coordinator::domain {

AgentRecord afterAttempt(const AgentRecord& agent, model::Outcome outcome, base::Nanos lasted,
                         std::int32_t limit) {
  AgentRecord next = agent;
  if (limit <= 0) return next;
  if (outcome != model::Outcome::kInfrastructure || lasted > kFastFailure) {
    next.fastFailures = 0;
    return next;
  }
  ++next.fastFailures;
  if (next.fastFailures >= limit) next.trust = Trust::kQuarantined;
  return next;
}

}  // namespace fleetmark::coordinator::domain
