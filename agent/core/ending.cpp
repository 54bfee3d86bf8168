#include "agent/core/ending.h"

namespace fleetmark::agent::core {

using model::Outcome;

Ending endingOf(StopReason reason, std::string_view when) {
  const std::string then(when);
  switch (reason) {
    case StopReason::kNone:
      break;
    case StopReason::kCancelled:
      return {Outcome::kCancelled, "cancelled " + then};
    case StopReason::kLeaseLost:
      return {Outcome::kInfrastructure, "the coordinator took the lease back " + then};
    case StopReason::kLeaseExpired:
      return {Outcome::kInfrastructure, "the lease could not be renewed in time " + then +
                                            ", so the step was ended; was the coordinator "
                                            "reachable?"};
    case StopReason::kAgentStopping:
      return {Outcome::kInfrastructure, "the agent was stopped " + then};
  }
  return {Outcome::kInfrastructure, "the run was ended " + then};
}

}  // namespace fleetmark::agent::core
