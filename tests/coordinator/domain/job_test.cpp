#include "coordinator/domain/job.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fleetmark::coordinator::domain {
namespace {

using S = StepState;

TEST(JobApply, EveryStateAndEvent) {
  const std::map<JobState, std::array<const char*, kAllJobEvents.size()>> matrix{
      // none started, some started, all measured, ended failed, ended cancelled
      {JobState::kPending, {"pending", "running", "done", "failed", "cancelled"}},
      {JobState::kRunning, {"running", "running", "done", "failed", "cancelled"}},
      {JobState::kDone, {"-", "-", "done", "-", "-"}},
      {JobState::kFailed, {"-", "-", "-", "failed", "-"}},
      {JobState::kCancelled, {"-", "-", "-", "-", "cancelled"}},
  };
  ASSERT_EQ(matrix.size(), allJobStates().size());
  for (auto state : allJobStates()) {
    for (std::size_t i = 0; i < kAllJobEvents.size(); ++i) {
      auto result = apply(Job{state}, kAllJobEvents[i], TimePoint{});
      std::string next = result ? std::string(toString(result->next.state)) : "-";
      EXPECT_EQ(next, matrix.at(state)[i])
          << toString(state) << " + " << toString(kAllJobEvents[i]);
      if (result) {
        bool moved = result->next.state != state;
        EXPECT_EQ(contains(result->effects, EffectKind::kRollUpCampaign), moved);
      }
    }
  }
}

JobState rolled(std::vector<StepState> steps, JobState from = JobState::kPending) {
  return rollUpJob(from, steps);
}

TEST(JobRollUp, FollowsItsSteps) {
  EXPECT_EQ(rolled({S::kReady}), JobState::kPending);
  EXPECT_EQ(rolled({S::kReady, S::kBlocked}), JobState::kPending);
  EXPECT_EQ(rolled({S::kLeased, S::kBlocked}), JobState::kRunning);
  EXPECT_EQ(rolled({S::kMeasured, S::kReady}), JobState::kRunning);
  EXPECT_EQ(rolled({S::kMeasured, S::kMeasured}), JobState::kDone);
  EXPECT_EQ(rolled({S::kFailed, S::kCancelled}), JobState::kFailed);
  EXPECT_EQ(rolled({S::kMeasured, S::kLost}), JobState::kFailed);
  EXPECT_EQ(rolled({S::kMeasured, S::kCancelled}), JobState::kCancelled);
  EXPECT_EQ(rolled({S::kCancelled}), JobState::kCancelled);
  EXPECT_EQ(rolled({S::kFailed, S::kLeased}), JobState::kRunning);
}

TEST(JobRollUp, StaysRunningWhileAStepWaitsForItsNextAttempt) {
  EXPECT_EQ(rolled({S::kReady}, JobState::kRunning), JobState::kRunning);
}

TEST(JobRollUp, LeavesFinalStatesAlone) {
  EXPECT_EQ(rolled({S::kLeased}, JobState::kDone), JobState::kDone);
  EXPECT_EQ(rolled({S::kMeasured}, JobState::kCancelled), JobState::kCancelled);
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
