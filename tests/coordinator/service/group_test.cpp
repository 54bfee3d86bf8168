#include "tests/coordinator/service/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

using model::ArriveAnswer;
using model::IngestAnswer;
using model::Outcome;
using std::chrono::seconds;

std::vector<model::PlannedStep> pairOfSteps() {
  model::PlannedStep left;
  left.name = "left";
  left.estimate = seconds(5);
  left.timeLimit = seconds(60);
  left.group = "pair";
  left.groupLimit = seconds(60);
  auto right = left;
  right.name = "right";
  return {left, right};
}

class Group : public ServiceTest {
 protected:
  Group()
      : id_(insert(store::makeCampaign(1, pairOfSteps()))),
        a_(agentOn("machine-a")),
        b_(agentOn("machine-b")) {}

  ArriveAnswer arriving(const ports::Registration& who, const model::Assignment& work) {
    return must(arrive(*db_, who, work.lease));
  }
  std::string group() { return sql("SELECT state || ' ' || round FROM fleetmark.step_group"); }
  // Both have a member and stand at the barrier.
  void begin() {
    left_ = take(a_);
    right_ = take(b_);
    ASSERT_TRUE(left_ && right_);
    EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kWait);
    EXPECT_EQ(arriving(b_, *right_), ArriveAnswer::kBegin);
    EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kBegin);
  }

  base::CampaignId id_;
  ports::Registration a_, b_;
  std::optional<model::Assignment> left_, right_;
};

TEST_F(Group, BeginsWhenAllHaveArrived) {
  EXPECT_EQ(group(), "open 0");
  begin();
  EXPECT_EQ(left_->group, "pair");
  EXPECT_EQ(group(), "running 1");
  EXPECT_EQ(end(a_, left_->lease, Outcome::kMeasured).answer, IngestAnswer::kOk);
  EXPECT_EQ(end(b_, right_->lease, Outcome::kMeasured).answer, IngestAnswer::kOk);
  EXPECT_EQ(group(), "over 1");
  EXPECT_EQ(campaignState(id_), "done");
}

TEST_F(Group, OneMachineGetsOneMemberOnly) {
  ASSERT_TRUE(take(a_));
  auto sameMachine = agentOn("machine-a");
  EXPECT_FALSE(take(sameMachine));
  EXPECT_TRUE(take(b_));
}

TEST_F(Group, AllAreReleasedWhenOneNeverComes) {
  left_ = take(a_);
  ASSERT_TRUE(left_);
  EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kWait);
  sql("UPDATE fleetmark.step_group SET gathering_since = gathering_since - interval '61 s'");
  EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kReleased);
  EXPECT_EQ(group(), "releasing 1");
  EXPECT_FALSE(take(b_)) << "nobody gathers anew while a member is still out";
  EXPECT_EQ(end(a_, left_->lease, Outcome::kInfrastructure, 0, "released").answer,
            IngestAnswer::kOk);
  EXPECT_EQ(group(), "open 1");
  later("1 hour");
  begin();
  EXPECT_EQ(group(), "running 2");
}

TEST_F(Group, TheReaperReleasesAGroupWhoseAgentNoLongerAsks) {
  left_ = take(a_);
  ASSERT_TRUE(left_);
  EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kWait);
  sql("UPDATE fleetmark.step_group SET gathering_since = gathering_since - interval '61 s'");
  EXPECT_EQ(must(reap(*db_)).groups, 1u);
  EXPECT_EQ(sql("SELECT state FROM fleetmark.lease"), "releasing");
  model::LeaseRef held[] = {left_->lease};
  EXPECT_EQ(must(renew(*db_, Settings(), a_, held)).front(), model::RenewAnswer::kCancel);
}

TEST_F(Group, AMemberThatNeverComesEndsTheJobAfterTheLastAttempt) {
  for (int attempt = 1; attempt <= 2; ++attempt) {  // makeCampaign allows two
    left_ = take(a_);
    ASSERT_TRUE(left_);
    later("1 hour");
    sql("UPDATE fleetmark.lease SET expires_at = now() + interval '1 hour'");
    EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kReleased);
    end(a_, left_->lease, Outcome::kInfrastructure, 0, "released");
    later("1 hour");
  }
  EXPECT_EQ(sql("SELECT string_agg(name || ' ' || state, ', ' ORDER BY ordinal) "
                "FROM fleetmark.step"),
            "left lost, right cancelled");
  EXPECT_EQ(campaignState(id_), "done");
}

TEST_F(Group, BothRepeatWhenOneIsLostWhileTheyRun) {
  begin();
  EXPECT_EQ(end(a_, left_->lease, Outcome::kInfrastructure, 0, "it fell over").answer,
            IngestAnswer::kOk);
  EXPECT_EQ(group(), "releasing 1");
  model::LeaseRef held[] = {right_->lease};
  EXPECT_EQ(must(renew(*db_, Settings(), b_, held)).front(), model::RenewAnswer::kCancel);
  // The agent says "cancelled", but nobody wished that: the step gets another attempt.
  EXPECT_EQ(end(b_, right_->lease, Outcome::kCancelled, 0, "told to").answer, IngestAnswer::kOk);
  EXPECT_EQ(stepState(right_->lease.step), "ready");
  EXPECT_EQ(group(), "open 1");
  later("1 hour");
  begin();
  EXPECT_EQ(group(), "running 2");
}

TEST_F(Group, NoneIsRepeatedAloneOnceTheOtherWasMeasured) {
  begin();
  EXPECT_EQ(end(b_, right_->lease, Outcome::kMeasured).answer, IngestAnswer::kOk);
  EXPECT_EQ(end(a_, left_->lease, Outcome::kInfrastructure, 0, "it fell over").answer,
            IngestAnswer::kOk);
  EXPECT_EQ(stepState(left_->lease.step), "lost");
  EXPECT_NE(stepMessage(left_->lease.step).find("group 'pair'"), std::string::npos);
  EXPECT_EQ(group(), "over 1");
  EXPECT_EQ(campaignState(id_), "done");
}

TEST_F(Group, AnAgentLostAtTheBarrierIsReplaced) {
  left_ = take(a_);
  ASSERT_TRUE(left_);
  EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kWait);
  sql("UPDATE fleetmark.lease SET expires_at = now() - interval '1 s'");
  EXPECT_EQ(must(reap(*db_)).leases, 1u);
  EXPECT_EQ(group(), "open 1");
  EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kLost);
  sql("UPDATE fleetmark.step SET run_after = '-infinity'");
  begin();
}

TEST_F(Group, ACancelEndsBothAndNobodyWaits) {
  left_ = take(a_);
  ASSERT_TRUE(left_);
  EXPECT_EQ(arriving(a_, *left_), ArriveAnswer::kWait);
  must(cancelCampaign(*db_, std::to_string(id_.value)));
  EXPECT_EQ(end(a_, left_->lease, Outcome::kCancelled).answer, IngestAnswer::kOk);
  EXPECT_EQ(sql("SELECT string_agg(DISTINCT state, ', ') FROM fleetmark.step"), "cancelled");
  EXPECT_EQ(campaignState(id_), "cancelled");
}

TEST_F(Group, AnArrivalWithAWrongTokenIsLost) {
  left_ = take(a_);
  ASSERT_TRUE(left_);
  auto wrong = *left_;
  wrong.lease.token = std::string(16, 'x');
  EXPECT_EQ(arriving(a_, wrong), ArriveAnswer::kLost);
  EXPECT_EQ(arriving(b_, *left_), ArriveAnswer::kLost);
  EXPECT_EQ(sql("SELECT max(arrived_epoch) FROM fleetmark.step"), "0");
}

}  // namespace
}  // namespace fleetmark::coordinator::service
