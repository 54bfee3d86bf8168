#include <set>

#include "tests/coordinator/service/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

class HandOut : public ServiceTest {
 protected:
  std::shared_ptr<const Taker> taker(const AgentChoice& choice) {
    auto hello = store::makeHello(choice);
    return std::make_shared<const Taker>(Taker{enter(hello), hello.labels, hello.probes});
  }
  std::shared_ptr<const Taker> onMachine(const std::string& machine) {
    AgentChoice choice;
    choice.machine = machine;
    return taker(choice);
  }
  std::vector<HandedOut> give(const std::vector<std::shared_ptr<const Taker>>& takers,
                              std::size_t first = 0) {
    return must(handOut(*db_, Settings(), takers, first));
  }
};

TEST_F(HandOut, GivesEachAgentAStepOfItsOwn) {
  insert(store::makeCampaign(5));
  auto given = give({onMachine("a"), onMachine("b"), onMachine("c")});
  ASSERT_EQ(given.size(), 3u);
  std::set<std::int64_t> steps, epochs;
  std::set<std::string> tokens;
  for (const auto& each : given) {
    steps.insert(each.assignment.lease.step.value);
    tokens.insert(each.assignment.lease.token);
  }
  EXPECT_EQ(steps.size(), 3u);
  EXPECT_EQ(tokens.size(), 3u);
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.lease"), "3");
  EXPECT_EQ(sql("SELECT min(position) || '-' || max(position) FROM fleetmark.step "
                "WHERE state = 'leased'"),
            "0-2");
}

TEST_F(HandOut, OneMachineGetsOneStepHoweverManyAgentsAsk) {
  insert(store::makeCampaign(5));
  EXPECT_EQ(give({onMachine("a"), onMachine("a"), onMachine("b")}).size(), 2u);
}

TEST_F(HandOut, NoMoreThanThereIs) {
  insert(store::makeCampaign(1));
  EXPECT_EQ(give({onMachine("a"), onMachine("b")}).size(), 1u);
  EXPECT_EQ(give({onMachine("a"), onMachine("b")}).size(), 0u);
}

TEST_F(HandOut, NothingForAgentsThatDoNotFit) {
  insert(store::makeCampaign(2));
  AgentChoice windows;
  windows.labels = {{"os", "windows"}};
  AgentChoice noProbe;
  noProbe.probes = {"disk/1", "cpu/2"};
  EXPECT_TRUE(give({taker(windows), taker(noProbe)}).empty());
}

TEST_F(HandOut, BeginsWhereItIsTold) {
  insert(store::makeCampaign(1));
  auto given = give({onMachine("a"), onMachine("b"), onMachine("c")}, 4);
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given.front().taker, 1u);
}

TEST_F(HandOut, NothingOfAPausedCampaign) {
  insert(store::makeCampaign(1));
  sql("UPDATE fleetmark.campaign SET paused = true");
  EXPECT_TRUE(give({onMachine("a")}).empty());
  sql("UPDATE fleetmark.campaign SET paused = false");
  EXPECT_EQ(give({onMachine("a")}).size(), 1u);
}

// Q5: a draining agent takes nothing; the same for one in quarantine.
TEST_F(HandOut, NothingForAgentsThatAreDrainingOrInQuarantine) {
  insert(store::makeCampaign(2));
  auto draining = onMachine("a");
  auto quarantined = onMachine("b");
  sql("UPDATE fleetmark.agent SET draining = true WHERE id = '" + draining->who.agent.toString() +
      "'");
  sql("UPDATE fleetmark.agent SET quarantined_at = now() WHERE id = '" +
      quarantined->who.agent.toString() + "'");
  EXPECT_TRUE(give({draining, quarantined}).empty());
}

TEST_F(HandOut, NothingForAnEarlierSession) {
  insert(store::makeCampaign(1));
  auto before = onMachine("a");
  sql("UPDATE fleetmark.agent SET session = session + 1");
  EXPECT_TRUE(give({before}).empty());
}

}  // namespace
}  // namespace fleetmark::coordinator::service
