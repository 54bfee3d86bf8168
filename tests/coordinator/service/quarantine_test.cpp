#include "coordinator/service/agents.h"
#include "tests/coordinator/service/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

using model::Outcome;
using store::makeCampaign;

class Quarantine : public ServiceTest {
 protected:
  base::CampaignId submitJobs(std::uint32_t jobs) {
    auto campaign = makeCampaign(jobs);
    campaign.maxAttempts = Settings().maxAttempts;
    return insert(campaign);
  }
  // One attempt that fails at once. False: there was nothing to take.
  bool failOnce(const ports::Registration& who, const std::string& message = "no disk") {
    auto work = take(who);
    if (!work) return false;
    end(who, work->lease, Outcome::kInfrastructure, 0, message);
    later("1 hour");  // the pause before the next attempt
    return true;
  }
  ports::AgentView view(const ports::Registration& who) {
    for (auto& agent : must(listAgents(*db_, Settings()))) {
      if (agent.id == who.agent) return agent;
    }
    return {};
  }
};

TEST_F(Quarantine, ThreeFastFailuresInARowTakeTheAgentOut) {
  auto id = submitJobs(5);
  auto who = agentOn("a");
  EXPECT_TRUE(failOnce(who, "first"));
  EXPECT_TRUE(failOnce(who, "second"));
  EXPECT_EQ(view(who).state, "online");
  EXPECT_TRUE(failOnce(who, "the disk is gone"));
  EXPECT_EQ(view(who).state, "quarantined");
  EXPECT_EQ(view(who).reason, "quarantined: the disk is gone");
  EXPECT_FALSE(take(who));
  EXPECT_EQ(must(whyNoWork(*db_, Settings(), who)),
            "this agent is given no work: quarantined: the disk is gone");
  EXPECT_EQ(sql("SELECT data->>'agent' || ': ' || (data->>'reason') FROM fleetmark.event WHERE "
                "kind = 'agent.quarantined' AND campaign_id = " +
                std::to_string(id.value)),
            "agent on a: the disk is gone");
  must(setAgent(*db_, Settings(), who.agent.toString(), ports::AgentWish::kRelease));
  EXPECT_TRUE(take(who));
  EXPECT_EQ(must(whyNoWork(*db_, Settings(), who)), "nothing is ready for this agent");
}

TEST_F(Quarantine, AMeasuredStepInBetweenBeginsTheCountAnew) {
  submitJobs(9);
  auto who = agentOn("a");
  failOnce(who);
  failOnce(who);
  auto work = take(who);
  ASSERT_TRUE(work);
  end(who, work->lease, Outcome::kMeasured);
  failOnce(who);
  failOnce(who);
  EXPECT_EQ(view(who).state, "online");
}

TEST_F(Quarantine, AFailureAfterALongTimeIsNoFastOne) {
  submitJobs(9);
  auto who = agentOn("a");
  failOnce(who);
  failOnce(who);
  auto work = take(who);
  ASSERT_TRUE(work);
  sql("UPDATE fleetmark.attempt SET started_at = started_at - interval '11 s' WHERE id = " +
      std::to_string(work->attempt.value));
  end(who, work->lease, Outcome::kInfrastructure);
  EXPECT_EQ(view(who).state, "online");
  EXPECT_EQ(sql("SELECT fast_failures FROM fleetmark.agent"), "0");
}

TEST_F(Quarantine, TheSameCompletionAgainCountsOnce) {
  submitJobs(1);
  auto who = agentOn("a");
  auto work = take(who);
  end(who, work->lease, Outcome::kInfrastructure, 0, "x");
  EXPECT_EQ(end(who, work->lease, Outcome::kInfrastructure, 0, "x").answer,
            model::IngestAnswer::kDuplicate);
  EXPECT_EQ(sql("SELECT fast_failures FROM fleetmark.agent"), "1");
}

TEST_F(Quarantine, OneBrokenAgentAndOneGoodOneMeasureEverything) {
  for (std::uint32_t jobs : {1u, 2u, 7u}) {
    SCOPED_TRACE(jobs);
    auto id = submitJobs(jobs);
    auto broken = agentOn("broken");
    auto good = agentOn("good");
    while (failOnce(broken)) {
    }
    EXPECT_EQ(view(broken).state, "quarantined");
    while (auto work = take(good)) {
      end(good, work->lease, Outcome::kMeasured);
    }
    EXPECT_EQ(summary(id).stepsMeasured, jobs);
    EXPECT_EQ(campaignState(id), "done");
    EXPECT_LE(sql("SELECT max(attempts) FROM fleetmark.step"), "4");
    sql("DELETE FROM fleetmark.campaign; DELETE FROM fleetmark.agent_heartbeat; "
        "DELETE FROM fleetmark.agent");
  }
}

TEST_F(Quarantine, AStepThatNobodyElseCanDoIsLostAfterItsThreeAttempts) {
  auto id = submitJobs(1);
  auto who = agentOn("a");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(failOnce(who));
  EXPECT_EQ(summary(id).stepsLost, 1u);
  EXPECT_EQ(campaignState(id), "done");
}

TEST_F(Quarantine, ADrainingAgentIsNobodyElse) {
  auto id = submitJobs(1);
  auto who = agentOn("a");
  must(setAgent(*db_, Settings(), agentOn("b").agent.toString(), ports::AgentWish::kDrain));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(failOnce(who));
  EXPECT_EQ(summary(id).stepsLost, 1u);
}

TEST_F(Quarantine, AStepThatBreaksEveryAgentIsLostAfterNineAttempts) {
  auto id = submitJobs(1);
  std::vector<ports::Registration> fleet;
  for (const char* machine : {"a", "b", "c", "d", "e"}) fleet.push_back(agentOn(machine));
  int attempts = 0;
  for (const auto& who : fleet) {
    while (failOnce(who)) ++attempts;
  }
  EXPECT_EQ(attempts, 9);
  EXPECT_EQ(summary(id).stepsLost, 1u);
  EXPECT_EQ(view(fleet[2]).state, "quarantined");
  EXPECT_EQ(view(fleet[3]).state, "online");
}

TEST_F(Quarantine, WithoutALimitNobodyIsTakenOut) {
  submitJobs(9);
  auto who = agentOn("a");
  Settings never;
  never.quarantineAfter = 0;
  for (int i = 0; i < 6; ++i) {
    auto work = take(who);
    ASSERT_TRUE(work);
    model::Completion completion;
    completion.outcome = Outcome::kInfrastructure;
    must(complete(*db_, never, {who, work->lease, completion, {}}));
  }
  EXPECT_EQ(view(who).state, "online");
}

}  // namespace
}  // namespace fleetmark::coordinator::service
