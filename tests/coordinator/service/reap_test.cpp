#include "tests/coordinator/service/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

class Reap : public ServiceTest {};

// Q1: a killed worker's row is taken again.
TEST_F(Reap, AnAgentThatIsGoneLosesItsLeaseToAnother) {
  insert(store::makeCampaign());
  auto gone = agentOn("machine-a");
  auto work = take(gone);
  ASSERT_TRUE(work);
  EXPECT_EQ(must(reap(*db_)).leases, 0u);
  sql("UPDATE fleetmark.lease SET expires_at = now()");
  EXPECT_EQ(must(reap(*db_)).leases, 1u);
  auto other = agentOn("machine-b");
  EXPECT_FALSE(take(other)) << "there is a pause before another attempt";
  later("1 hour");
  auto again = take(other);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->lease.step, work->lease.step);
  EXPECT_EQ(again->lease.epoch, 2);
}

// Q2: long work that renews is never taken away.
TEST_F(Reap, ARenewedLeaseIsKept) {
  insert(store::makeCampaign());
  auto who = enter();
  auto work = take(who);
  ASSERT_TRUE(work);
  for (int i = 0; i < 5; ++i) {
    later("14 s");  // of the 15 that a lease has
    model::LeaseRef held[] = {work->lease};
    ASSERT_EQ(must(renew(*db_, Settings(), who, held)).front(), model::RenewAnswer::kRenewed);
    EXPECT_EQ(must(reap(*db_)).leases, 0u);
  }
}

// Q3: what ended between the look and the rescue stays as it ended.
TEST_F(Reap, AStepThatEndedMeanwhileIsLeftAlone) {
  auto id = insert(store::makeCampaign());
  auto who = enter();
  auto work = take(who);
  ASSERT_TRUE(work);
  sql("UPDATE fleetmark.lease SET expires_at = now()");
  end(who, work->lease, model::Outcome::kMeasured);
  EXPECT_EQ(must(reap(*db_)).leases, 0u);
  EXPECT_EQ(stepState(work->lease.step), "measured");
  EXPECT_EQ(campaignState(id), "done");
}

TEST_F(Reap, TheLastAttemptLost) {
  auto id = insert(store::makeCampaign());  // two attempts
  auto who = enter();
  for (int attempt = 1; attempt <= 2; ++attempt) {
    auto work = take(who);
    ASSERT_TRUE(work);
    sql("UPDATE fleetmark.lease SET expires_at = now()");
    must(reap(*db_));
    later("1 hour");
  }
  EXPECT_EQ(sql("SELECT state FROM fleetmark.step"), "lost");
  EXPECT_EQ(campaignState(id), "done");
}

TEST_F(Reap, ACampaignWhoseEndWasMissedIsEnded) {
  auto id = insert(store::makeCampaign());
  auto who = enter();
  auto work = take(who);
  ASSERT_TRUE(work);
  measured(work->lease);  // as a coordinator that died before it looked at the campaign
  EXPECT_EQ(campaignState(id), "running");
  EXPECT_EQ(must(reap(*db_)).campaigns, 1u);
  EXPECT_EQ(campaignState(id), "done");
}

}  // namespace
}  // namespace fleetmark::coordinator::service
