#include "tests/coordinator/service/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

using model::Outcome;
using std::chrono::seconds;

class Limits : public ServiceTest {
 protected:
  static ports::NewCampaign twoJobs() {
    return store::makeCampaign(2, store::saveAndRestore(seconds(0), model::HostRelation::kAny));
  }
  std::string states() {
    return sql("SELECT string_agg(state, ' ' ORDER BY position, ordinal) FROM fleetmark.step");
  }
};

TEST_F(Limits, ACampaignOverItsTimeIsCancelled) {
  auto campaign = twoJobs();
  campaign.plan.spec.campaignLimit = seconds(100);
  auto id = insert(campaign);
  auto who = enter();
  auto work = take(who);
  ASSERT_TRUE(work);
  sql("UPDATE fleetmark.campaign SET started_at = now() - interval '99 s'");
  must(reap(*db_));
  EXPECT_EQ(campaignState(id), "running");
  sql("UPDATE fleetmark.campaign SET started_at = now() - interval '101 s'");
  must(reap(*db_));
  EXPECT_EQ(campaignState(id), "cancelling");
  EXPECT_EQ(states(), "leased cancelled cancelled cancelled");
  EXPECT_EQ(sql("SELECT DISTINCT message FROM fleetmark.step WHERE state = 'cancelled'"),
            "the campaign was over its time limit");
  end(who, work->lease, Outcome::kCancelled);
  EXPECT_EQ(campaignState(id), "cancelled");
}

TEST_F(Limits, AJobOverItsTimeIsCancelledWithTheStepThatRuns) {
  auto campaign = twoJobs();
  campaign.plan.spec.jobLimit = seconds(100);
  auto id = insert(campaign);
  auto who = enter();
  auto first = take(who);
  ASSERT_TRUE(first);
  sql("UPDATE fleetmark.job SET started_at = started_at - interval '101 s'");
  must(reap(*db_));
  EXPECT_EQ(states(), "leased cancelled ready blocked") << "the other job has not begun";
  EXPECT_EQ(sql("SELECT message FROM fleetmark.step WHERE state = 'cancelled'"),
            "the job was over its time limit of 100 s");
  model::LeaseRef held[] = {first->lease};
  EXPECT_EQ(must(renew(*db_, Settings(), who, held)).front(), model::RenewAnswer::kCancel);
  must(reap(*db_));
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.event WHERE kind = 'step.cancelling'"), "1")
      << "it is told once";
  EXPECT_EQ(sql("SELECT stage || ': ' || message FROM fleetmark.notice"),
            "limit: the job was over its time limit of 100 s");
  end(who, first->lease, Outcome::kCancelled);
  EXPECT_EQ(sql("SELECT state FROM fleetmark.job ORDER BY position LIMIT 1"), "cancelled");
  EXPECT_EQ(states(), "cancelled cancelled ready blocked");
  EXPECT_EQ(campaignState(id), "running");
}

TEST_F(Limits, AnAttemptAfterTheJobsTimeIsNotMade) {
  auto campaign = store::makeCampaign();
  campaign.plan.spec.jobLimit = seconds(100);
  auto id = insert(campaign);
  auto who = enter();
  auto work = take(who);
  ASSERT_TRUE(work);
  sql("UPDATE fleetmark.job SET started_at = started_at - interval '101 s'");
  must(reap(*db_));
  EXPECT_EQ(stepState(work->lease.step), "leased") << "its agent has to end it first";
  end(who, work->lease, Outcome::kInfrastructure, 0, "gone");
  EXPECT_EQ(stepState(work->lease.step), "cancelled");
  EXPECT_EQ(campaignState(id), "done");
}

}  // namespace
}  // namespace fleetmark::coordinator::service
