#include "coordinator/service/submit.h"

#include <gtest/gtest.h>

namespace fleetmark::coordinator::service {
namespace {

model::Plan plan(const std::vector<model::RunnerSpec>& runners,
                 const std::vector<std::string>& probes) {
  model::Plan out;
  out.spec.runners = runners;
  for (const auto& probe : probes) {
    model::ProbeUse use;
    use.profile.probe = probe;
    use.profile.protocol = 1;
    out.spec.probes.push_back(use);
  }
  for (std::size_t r = 0; r < runners.size(); ++r) {
    for (std::size_t p = 0; p < probes.size(); ++p) {
      for (std::uint32_t trial = 1; trial <= 2; ++trial) out.jobs.push_back({r, p, trial, 0, {}});
    }
  }
  return out;
}

model::RunnerSpec runner(const std::string& name, const model::Labels& match) {
  model::RunnerSpec out;
  out.name = name;
  out.match = match;
  return out;
}

ports::AgentView agent(const std::string& name, const std::string& state,
                       const std::vector<std::string>& probes) {
  ports::AgentView out;
  out.name = name;
  out.state = state;
  out.labels = {{"agent", name}, {"os", "linux"}};
  out.probes = probes;
  return out;
}

std::string message(const base::Status& status) {
  if (status) return "";
  EXPECT_EQ(status.error().code, base::ErrorCode::kInvalid);
  return status.error().message;
}

TEST(EveryJobHasAnAgent, OneAgentMayDoForAllAndBusyIsOnline) {
  auto all = plan({runner("any", {}), runner("linux", {{"os", "linux"}})}, {"cpu", "disk"});
  EXPECT_EQ(message(everyJobHasAnAgent(all, {agent("a", "busy", {"cpu/1", "disk/1"})})), "");
  EXPECT_EQ(message(everyJobHasAnAgent(
                all, {agent("a", "online", {"cpu/1"}), agent("b", "online", {"disk/1"})})),
            "");
}

TEST(EveryJobHasAnAgent, AnAgentThatIsGivenNoWorkDoesNotCountAndIsNamed) {
  auto all = plan({runner("a", {{"agent", "a"}})}, {"cpu"});
  auto held = agent("a", "draining", {"cpu/1"});
  held.reason = "an operator drains it";
  auto text = message(everyJobHasAnAgent(all, {held}));
  EXPECT_NE(text.find("no agent online matches"), std::string::npos) << text;
  EXPECT_NE(text.find("given no work: a (agent=a, os=linux): an operator drains it"),
            std::string::npos)
      << text;
  held.state = "quarantined";
  EXPECT_NE(message(everyJobHasAnAgent(all, {held})), "");
}

TEST(EveryJobHasAnAgent, AnOfflineAgentDoesNotCount) {
  EXPECT_EQ(message(everyJobHasAnAgent(plan({runner("a", {{"agent", "a"}})}, {"cpu", "disk"}),
                                       {agent("a", "offline", {"cpu/1", "disk/1"})})),
            "runner 'a' (match: agent=a): no agent online matches\n"
            "online: no agent at all\n"
            "start such an agent, correct 'match', or submit with --wait");
}

TEST(EveryJobHasAnAgent, AnotherProtocolIsNotTheProbe) {
  EXPECT_EQ(message(everyJobHasAnAgent(plan({runner("a", {})}, {"cpu", "disk"}),
                                       {agent("a", "online", {"cpu/2", "disk/1"})})),
            "runner 'a' (match: (any)): no agent online that matches can do probe cpu protocol 1\n"
            "online: a (agent=a, os=linux)\n"
            "start such an agent, correct 'match', or submit with --wait");
}

TEST(EveryJobHasAnAgent, EachRunnerIsNamedOnceAndFiveAgentsAtMost) {
  std::vector<ports::AgentView> agents;
  for (char c = 'a'; c < 'h'; ++c) agents.push_back(agent({c}, "online", {"cpu/1", "disk/1"}));
  auto text = message(everyJobHasAnAgent(
      plan({runner("x", {{"agent", "x"}}), runner("y", {{"agent", "y"}})}, {"cpu", "disk"}),
      agents));
  EXPECT_EQ(text,
            "runner 'x' (match: agent=x): no agent online matches\n"
            "runner 'y' (match: agent=y): no agent online matches\n"
            "online: a (agent=a, os=linux); b (agent=b, os=linux); c (agent=c, os=linux); "
            "d (agent=d, os=linux); e (agent=e, os=linux); and 2 more\n"
            "start such an agent, correct 'match', or submit with --wait");
}

TEST(EveryJobHasAnAgent, NoJobsNeedNobody) {
  EXPECT_EQ(message(everyJobHasAnAgent(plan({}, {}), {})), "");
}

}  // namespace
}  // namespace fleetmark::coordinator::service
