#include "coordinator/domain/states.h"

#include "common/model/words.h"

namespace fleetmark::coordinator::domain {

namespace {

using model::Words;

constexpr Words<CampaignState, 5> kCampaignWords{{{
    {CampaignState::kQueued, "queued"},
    {CampaignState::kRunning, "running"},
    {CampaignState::kCancelling, "cancelling"},
    {CampaignState::kDone, "done"},
    {CampaignState::kCancelled, "cancelled"},
}}};

constexpr Words<JobState, 5> kJobWords{{{
    {JobState::kPending, "pending"},
    {JobState::kRunning, "running"},
    {JobState::kDone, "done"},
    {JobState::kFailed, "failed"},
    {JobState::kCancelled, "cancelled"},
}}};

constexpr Words<StepState, 7> kStepWords{{{
    {StepState::kBlocked, "blocked"},
    {StepState::kReady, "ready"},
    {StepState::kLeased, "leased"},
    {StepState::kMeasured, "measured"},
    {StepState::kFailed, "failed"},
    {StepState::kLost, "lost"},
    {StepState::kCancelled, "cancelled"},
}}};

constexpr Words<LeaseState, 5> kLeaseWords{{{
    {LeaseState::kActive, "active"},
    {LeaseState::kCancelling, "cancelling"},
    {LeaseState::kReleasing, "releasing"},
    {LeaseState::kCompleted, "completed"},
    {LeaseState::kExpired, "expired"},
}}};

}  // namespace

std::string_view toString(CampaignState state) { return kCampaignWords.word(state); }
std::string_view toString(JobState state) { return kJobWords.word(state); }
std::string_view toString(StepState state) { return kStepWords.word(state); }
std::string_view toString(LeaseState state) { return kLeaseWords.word(state); }

std::optional<CampaignState> parseCampaignState(std::string_view word) {
  return kCampaignWords.parse(word);
}
std::optional<JobState> parseJobState(std::string_view word) { return kJobWords.parse(word); }
std::optional<StepState> parseStepState(std::string_view word) { return kStepWords.parse(word); }
std::optional<LeaseState> parseLeaseState(std::string_view word) { return kLeaseWords.parse(word); }

const std::vector<CampaignState>& allCampaignStates() {
  static const std::vector<CampaignState> all = kCampaignWords.all();
  return all;
}
const std::vector<JobState>& allJobStates() {
  static const std::vector<JobState> all = kJobWords.all();
  return all;
}
const std::vector<StepState>& allStepStates() {
  static const std::vector<StepState> all = kStepWords.all();
  return all;
}
const std::vector<LeaseState>& allLeaseStates() {
  static const std::vector<LeaseState> all = kLeaseWords.all();
  return all;
}

bool isTerminal(CampaignState state) {
  switch (state) {
    case CampaignState::kQueued:
    case CampaignState::kRunning:
    case CampaignState::kCancelling:
      return false;
    case CampaignState::kDone:
    case CampaignState::kCancelled:
      return true;
  }
  return true;
}

bool isTerminal(JobState state) {
  switch (state) {
    case JobState::kPending:
    case JobState::kRunning:
      return false;
    case JobState::kDone:
    case JobState::kFailed:
    case JobState::kCancelled:
      return true;
  }
  return true;
}

bool isTerminal(StepState state) {
  switch (state) {
    case StepState::kBlocked:
    case StepState::kReady:
    case StepState::kLeased:
      return false;
    case StepState::kMeasured:
    case StepState::kFailed:
    case StepState::kLost:
    case StepState::kCancelled:
      return true;
  }
  return true;
}

bool isTerminal(LeaseState state) {
  switch (state) {
    case LeaseState::kActive:
    case LeaseState::kCancelling:
    case LeaseState::kReleasing:
      return false;
    case LeaseState::kCompleted:
    case LeaseState::kExpired:
      return true;
  }
  return true;
}

}  // namespace fleetmark::coordinator::domain
