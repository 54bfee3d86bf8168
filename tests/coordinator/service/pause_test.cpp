#include "coordinator/service/pause.h"
#include "coordinator/service/cancel.h"
#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

using ports::Pausing;
using store::codeOf;
using store::makeCampaign;
using store::must;

class Pause : public store::StoreTest {
 protected:
  base::Result<domain::CampaignState> set(base::CampaignId id, Pausing pausing) {
    return setCampaignPaused(*db_, std::to_string(id.value), pausing);
  }
  std::string pauseEvents(base::CampaignId id) {
    return sql(
        "SELECT coalesce(string_agg(kind, ',' ORDER BY id), '') FROM fleetmark.event "
        "WHERE kind IN ('campaign.paused', 'campaign.resumed') AND campaign_id = " +
        std::to_string(id.value));
  }
};

TEST_F(Pause, HandsOutNothingUntilResumedAndLetsWhatRunsEnd) {
  auto id = insert(makeCampaign(2));
  auto who = enter();
  auto running = claim(who);
  ASSERT_TRUE(running);
  EXPECT_EQ(must(set(id, Pausing::kPause)), domain::CampaignState::kRunning);
  EXPECT_TRUE(summary(id).paused);
  measured(running->lease);
  EXPECT_FALSE(claim(who));
  EXPECT_EQ(must(set(id, Pausing::kResume)), domain::CampaignState::kRunning);
  EXPECT_FALSE(summary(id).paused);
  EXPECT_TRUE(claim(who));
}

TEST_F(Pause, SaidAgainChangesNothingAndTellsNothing) {
  auto id = insert(makeCampaign());
  must(set(id, Pausing::kResume));
  EXPECT_EQ(pauseEvents(id), "");
  must(set(id, Pausing::kPause));
  must(set(id, Pausing::kPause));
  must(set(id, Pausing::kResume));
  must(set(id, Pausing::kResume));
  EXPECT_EQ(pauseEvents(id), "campaign.paused,campaign.resumed");
}

TEST_F(Pause, IsFoundByTheNextConnection) {
  auto id = insert(makeCampaign());
  must(set(id, Pausing::kPause));
  db_ = open();
  EXPECT_TRUE(summary(id).paused);
  EXPECT_FALSE(claim(enter()));
}

TEST_F(Pause, AnEndedCampaignIsRefused) {
  auto id = insert(makeCampaign());
  must(set(id, Pausing::kPause));
  must(cancelCampaign(*db_, "quick"));  // a paused campaign can be cancelled
  for (auto pausing : {Pausing::kPause, Pausing::kResume}) {
    auto answer = set(id, pausing);
    EXPECT_EQ(codeOf(answer), base::ErrorCode::kConflict);
    EXPECT_NE(answer.error().message.find("has ended (cancelled)"), std::string::npos);
  }
  EXPECT_FALSE(summary(id).paused);
  EXPECT_EQ(codeOf(setCampaignPaused(*db_, "nobody", Pausing::kPause)), base::ErrorCode::kNotFound);
}

TEST_F(Pause, ACampaignThatIsBeingCancelledIsRefused) {
  auto id = insert(makeCampaign());
  ASSERT_TRUE(claim(enter()));
  EXPECT_EQ(must(cancelCampaign(*db_, "quick")), domain::CampaignState::kCancelling);
  EXPECT_EQ(codeOf(set(id, Pausing::kPause)), base::ErrorCode::kConflict);
}

}  // namespace
}  // namespace fleetmark::coordinator::service
