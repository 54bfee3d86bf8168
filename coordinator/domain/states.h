// The states of campaign, job, step and lease, with their words in SQL and JSON. The machines that
// move between them stand beside: campaign.h, job.h, step.h, lease.h.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace fleetmark::coordinator::domain {

enum class CampaignState { kQueued, kRunning, kCancelling, kDone, kCancelled };
enum class JobState { kPending, kRunning, kDone, kFailed, kCancelled };

enum class StepState {
  kBlocked,    // needs others that have not ended
  kReady,      // may be claimed from its run_after on
  kLeased,     // one agent does it
  kMeasured,   // ended: everything asked was attempted
  kFailed,     // ended: a measurement failure, which is a result
  kLost,       // ended: infrastructure failed as often as allowed
  kCancelled,  // ended: an operator's wish, or a step it needs did not succeed
};

enum class LeaseState {
  kActive,
  kCancelling,  // an operator's wish; the agent is told at its next renewal
  kReleasing,   // as cancelling, but the step gets another attempt: its group broke up
  kCompleted,
  kExpired,
};

std::string_view toString(CampaignState state);
std::string_view toString(JobState state);
std::string_view toString(StepState state);
std::string_view toString(LeaseState state);
std::optional<CampaignState> parseCampaignState(std::string_view word);
std::optional<JobState> parseJobState(std::string_view word);
std::optional<StepState> parseStepState(std::string_view word);
std::optional<LeaseState> parseLeaseState(std::string_view word);
const std::vector<CampaignState>& allCampaignStates();
const std::vector<JobState>& allJobStates();
const std::vector<StepState>& allStepStates();
const std::vector<LeaseState>& allLeaseStates();

bool isTerminal(CampaignState state);
bool isTerminal(JobState state);
bool isTerminal(StepState state);
bool isTerminal(LeaseState state);

}  // namespace fleetmark::coordinator::domain
