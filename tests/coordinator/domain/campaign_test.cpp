#include "coordinator/domain/campaign.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fleetmark::coordinator::domain {
namespace {

using J = JobState;
using C = CampaignState;

TEST(CampaignApply, EveryStateAndEvent) {
  const std::map<CampaignState, std::array<const char*, kAllCampaignEvents.size()>> matrix{
      // none started, some started, all ended, cancel requested
      {C::kQueued, {"queued", "running", "done", "cancelling"}},
      {C::kRunning, {"running", "running", "done", "cancelling"}},
      {C::kCancelling, {"cancelling", "cancelling", "cancelled", "cancelling"}},
      {C::kDone, {"-", "-", "done", "done"}},
      {C::kCancelled, {"-", "-", "cancelled", "cancelled"}},
  };
  ASSERT_EQ(matrix.size(), allCampaignStates().size());
  for (auto state : allCampaignStates()) {
    for (std::size_t i = 0; i < kAllCampaignEvents.size(); ++i) {
      auto result = apply(Campaign{state}, kAllCampaignEvents[i], TimePoint{});
      std::string next = result ? std::string(toString(result->next.state)) : "-";
      EXPECT_EQ(next, matrix.at(state)[i])
          << toString(state) << " + " << toString(kAllCampaignEvents[i]);
      if (result && result->next.state == state) {
        EXPECT_TRUE(result->effects.empty());
      }
    }
  }
}

TEST(CampaignApply, ACancelReachesEveryStepOnce) {
  auto first = apply(Campaign{C::kRunning}, CampaignEventKind::kCancelRequested, TimePoint{});
  ASSERT_TRUE(first);
  EXPECT_TRUE(contains(first->effects, EffectKind::kCancelSteps));
  EXPECT_TRUE(contains(first->effects, EffectKind::kRollUpCampaign));
  auto second = apply(first->next, CampaignEventKind::kCancelRequested, TimePoint{});
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->effects.empty());
}

CampaignState rolled(std::vector<JobState> jobs, CampaignState from = C::kQueued) {
  return rollUpCampaign(from, jobs);
}

TEST(CampaignRollUp, FollowsItsJobs) {
  EXPECT_EQ(rolled({J::kPending, J::kPending}), C::kQueued);
  EXPECT_EQ(rolled({J::kPending, J::kRunning}), C::kRunning);
  EXPECT_EQ(rolled({J::kPending, J::kDone}), C::kRunning);
  EXPECT_EQ(rolled({J::kDone, J::kFailed}, C::kRunning), C::kDone);
  EXPECT_EQ(rolled({J::kRunning, J::kCancelled}, C::kCancelling), C::kCancelling);
  EXPECT_EQ(rolled({J::kDone, J::kCancelled}, C::kCancelling), C::kCancelled);
}

TEST(CampaignRollUp, LeavesFinalStatesAlone) {
  EXPECT_EQ(rolled({J::kRunning}, C::kDone), C::kDone);
  EXPECT_EQ(rolled({J::kRunning}, C::kCancelled), C::kCancelled);
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
