// Agents that fail fast, one attempt after the other: broken themselves, most likely.
//
//   trusted --- three fast failures in a row ---> quarantined --- an operator releases it --->
//   trusted
//
// - Counted is what the agent says itself: an infrastructure failure soon after the attempt's
// start.
//   Any other end by its word begins the count anew. A lease that expired says nothing either way.
// - The attempts of that row are given back to their steps where another agent can do them: they
//   told something about the agent and nothing about the step. A step is given at most
//   kMostAttemptsFactor times its attempts in all, so that one which breaks every agent it meets is
//   lost in the end.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/base/units.h"
#include "common/model/sample.h"

namespace fleetmark::coordinator::domain {

inline constexpr base::Nanos kFastFailure = std::chrono::seconds(10);
inline constexpr std::int32_t kMostAttemptsFactor = 3;

enum class Trust { kTrusted, kQuarantined };

struct AgentRecord {
  std::int32_t fastFailures = 0;  // in a row
  Trust trust = Trust::kTrusted;
  bool operator==(const AgentRecord&) const = default;
};

// `limit`: fast failures in a row that mean quarantine; 0: nothing is counted. `lasted`: from the
// attempt's claim until its end was told.
AgentRecord afterAttempt(const AgentRecord& agent, model::Outcome outcome, base::Nanos lasted,
                         std::int32_t limit);

}  // namespace fleetmark::coordinator::domain
