#include "coordinator/service/agents.h"
#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

using ports::AgentWish;
using store::codeOf;
using store::makeCampaign;
using store::makeHello;
using store::must;

class Agents : public store::StoreTest {
 protected:
  base::Result<ports::AgentView> set(const std::string& agent, AgentWish wish) {
    return setAgent(*db_, settings_, agent, wish);
  }
  Settings settings_;
};

TEST_F(Agents, ADrainingAgentFinishesAndTakesNothing) {
  insert(makeCampaign(2));
  auto who = enter();
  auto work = claim(who);
  ASSERT_TRUE(work);
  auto view = must(set("agent-a", AgentWish::kDrain));
  EXPECT_EQ(view.state, "draining");
  EXPECT_EQ(view.doing, "quick: cpu measure for linux, trial 1");
  EXPECT_EQ(view.reason, "an operator drains it");
  measured(work->lease);
  EXPECT_FALSE(claim(who));
  EXPECT_EQ(must(set("agent-a", AgentWish::kUndrain)).state, "online");
  EXPECT_TRUE(claim(who));
}

TEST_F(Agents, DrainingOutlivesARestartOfTheAgent) {
  insert(makeCampaign());
  auto hello = makeHello();
  enter(hello);
  must(set(hello.agent.toString(), AgentWish::kDrain));
  hello.instanceNonce = "start-2";
  hello.version = "9.9.9";
  EXPECT_FALSE(claim(enter(hello)));
  auto view = must(set("agent-a", AgentWish::kDrain));  // once more is as good as once
  EXPECT_EQ(view.state, "draining");
  EXPECT_EQ(view.version, "9.9.9");
}

TEST_F(Agents, OfflineGoesBeforeDrainingAndTheReasonStays) {
  auto who = enter();
  must(set("agent-a", AgentWish::kDrain));
  must(agentDisconnected(*db_, who));
  auto view = must(set("agent-a", AgentWish::kDrain));
  EXPECT_EQ(view.state, "offline");
  EXPECT_EQ(view.reason, "an operator drains it");
}

TEST_F(Agents, ReleaseEndsAQuarantineAndItsCount) {
  insert(makeCampaign());
  auto who = enter();
  sql("UPDATE fleetmark.agent SET quarantined_at = now(), quarantine_reason = 'no disk', "
      "fast_failures = 3");
  auto before = must(listAgents(*db_, settings_)).at(0);
  EXPECT_EQ(before.state, "quarantined");
  EXPECT_EQ(before.reason, "quarantined: no disk");
  EXPECT_FALSE(claim(who));
  auto view = must(set("agent-a", AgentWish::kRelease));
  EXPECT_EQ(view.state, "online");
  EXPECT_EQ(view.reason, "");
  EXPECT_EQ(sql("SELECT fast_failures FROM fleetmark.agent"), "0");
  EXPECT_TRUE(claim(who));
}

TEST_F(Agents, ReleaseLeavesDrainingAlone) {
  enter();
  must(set("agent-a", AgentWish::kDrain));
  EXPECT_EQ(must(set("agent-a", AgentWish::kRelease)).state, "draining");
}

TEST_F(Agents, AnUnknownNameIsAnsweredWithTheNearest) {
  auto none = set("agent-a", AgentWish::kDrain);
  EXPECT_EQ(codeOf(none), base::ErrorCode::kNotFound);
  EXPECT_EQ(none.error().message, "there is no agent 'agent-a'; none has registered yet");
  enter();
  EXPECT_EQ(set("agnet-a", AgentWish::kDrain).error().message,
            "there is no agent 'agnet-a'; did you mean 'agent-a'?");
  EXPECT_EQ(set("x", AgentWish::kDrain).error().message,
            "there is no agent 'x'; there are 'agent-a'");
}

TEST_F(Agents, ANameOfTwoIsAnsweredWithTheirIds) {
  auto one = enter();
  auto two = enter();
  auto both = set("agent-a", AgentWish::kDrain);
  EXPECT_EQ(codeOf(both), base::ErrorCode::kInvalid);
  EXPECT_NE(both.error().message.find(one.agent.toString()), std::string::npos);
  EXPECT_NE(both.error().message.find(two.agent.toString()), std::string::npos);
  EXPECT_EQ(must(set(two.agent.toString(), AgentWish::kDrain)).id, two.agent);
}

}  // namespace
}  // namespace fleetmark::coordinator::service
