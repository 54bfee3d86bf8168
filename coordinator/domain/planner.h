// From what a person asked for to what the fleet does.
#pragma once

#include "common/base/result.h"
#include "common/model/campaign.h"

namespace fleetmark::coordinator::domain {

inline constexpr std::size_t kMostJobs = 10'000;

// The matrix probe x runner (less what `on` leaves out), one step "measure" a job, in the spec's
// order. The same profile and placement listed again is the next trial on that runner.
//
//   declared    runner by runner, each with its probes as listed
//   interleave  probe by probe, the runners take turns: drift in time hits all alike
//   abba        as interleave, and every second round goes backwards: A B, B A, ... per profile
//               as well as from one probe to the next
//   random      all jobs, shuffled by SeededRandom(seed)
//
// kInvalid: an empty matrix, more than kMostJobs jobs, or an unknown runner under `on`.
base::Result<model::Plan> makePlan(model::CampaignSpec spec);

}  // namespace fleetmark::coordinator::domain
