// What an operator tells a fleet that works: pause, drain, release, and to stop watching.
#include <gtest/gtest.h>

#include "tests/e2e/fleet.h"

namespace fleetmark::tests::e2e {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Two steps for one agent; the first takes long enough to be told something meanwhile.
constexpr const char* kTwoSteps =
    "campaign: steered\n"
    "runners: [{name: a}]\n"
    "probes:\n"
    "  - selftest: {samples: 40, interval: 50ms, seed: 7}\n"
    "  - selftest: {samples: 3, seed: 8}\n";

class Steering : public ::testing::Test {
 protected:
  std::string count(const std::string& column, const std::string& campaign) {
    return fleet_.sql("select " + column + " from campaigns where campaign_id = " + campaign);
  }
  bool runs(const std::string& campaign) {
    return eventually([&] { return count("steps_running", campaign) == "1"; });
  }
  bool measured(const std::string& campaign, const std::string& steps) {
    return eventually([&] { return count("steps_measured", campaign) == steps; });
  }
  std::string agents() { return fleet_.fleetmark({"agents"}).out; }
  void told(std::vector<std::string> arguments) {
    auto result = fleet_.fleetmark(std::move(arguments));
    ASSERT_EQ(result.exitCode, 0) << result.out << result.err;
  }
  // Kills one of the fleet's processes and waits for its end.
  static void killed(platform::Process& process) {
    process.killTree();
    ASSERT_TRUE(process.wait(std::chrono::seconds(20)));
  }

  Fleet fleet_;
};

TEST_F(Steering, APausedCampaignFinishesWhatRunsAndWaitsOverARestart) {
  fleet_.startCoordinator();
  fleet_.startAgent("worker");
  std::string id = fleet_.submit(kTwoSteps, {"--wait"});
  ASSERT_TRUE(runs(id));
  told({"pause", id});
  ASSERT_TRUE(measured(id, "1")) << "what runs goes on";
  killed(fleet_.coordinator());
  fleet_.startCoordinator();
  ASSERT_TRUE(eventually([&] { return has(agents(), "online"); })) << agents();
  EXPECT_TRUE(has(fleet_.fleetmark({"status", id}).out, "paused"));
  // Another campaign passes it, which shows that the agent was there to take work.
  std::string other = fleet_.submit(
      "campaign: other\nrunners: [{name: a}]\nprobes: [selftest: {samples: 2, seed: 3}]\n");
  ASSERT_TRUE(fleet_.waitForState(other, "done"));
  EXPECT_EQ(count("steps_measured", id), "1");
  told({"resume", id});
  EXPECT_TRUE(fleet_.waitForState(id, "done"));
  EXPECT_EQ(count("steps_measured", id), "2");
}

TEST_F(Steering, ADrainingAgentFinishesAndTakesNothingAlsoAfterItsRestart) {
  fleet_.startCoordinator();
  auto& first = fleet_.startAgent("leaving");
  std::string id = fleet_.submit(kTwoSteps, {"--wait"});
  ASSERT_TRUE(runs(id));
  told({"drain", "leaving"});
  ASSERT_TRUE(measured(id, "1")) << "a draining agent finishes its step";
  killed(first);
  fleet_.startAgent("leaving");
  ASSERT_TRUE(eventually([&] { return has(agents(), "draining"); })) << agents();
  fleet_.startAgent("staying");
  ASSERT_TRUE(fleet_.waitForState(id, "done"));
  EXPECT_EQ(fleet_.sql("select string_agg(distinct agent, ' ' order by agent) from results where"
                       " campaign_id = " +
                       id),
            "leaving staying");
  EXPECT_EQ(
      fleet_.sql("select count(*) from results where agent = 'leaving' and campaign_id = " + id),
      "1");
  told({"undrain", "leaving"});
  EXPECT_TRUE(eventually([&] { return !has(agents(), "draining"); })) << agents();
}

TEST_F(Steering, AnAgentThatFailsFastIsQuarantinedWithTheReasonUntilItIsReleased) {
  fleet_.startCoordinator({"--quarantine-after", "1"});
  fleet_.startAgent("crashy");
  std::string id = fleet_.submit(
      "campaign: crashing\nrunners: [{name: a}]\nprobes: [selftest: {samples: 2, fault: crash}]\n",
      {"--wait"});
  ASSERT_TRUE(eventually([&] { return has(agents(), "quarantined"); })) << agents();
  EXPECT_TRUE(has(agents(), "signal")) << "the reason is how the probe ended\n" << agents();
  auto why = fleet_.fleetmark({"why", id});
  EXPECT_EQ(why.exitCode, 0) << why.err;
  EXPECT_TRUE(has(why.out, "quarantine")) << why.out;
  EXPECT_TRUE(has(why.out, "fleetmark release")) << why.out;
  told({"release", "crashy"});
  EXPECT_TRUE(eventually([&] {
    return fleet_.sql("select max(attempt) from samples where campaign_id = " + id) == "2" ||
           has(fleet_.fleetmark({"status", id, "--json"}).out, "\"attempts\": 2");
  })) << fleet_.fleetmark({"status", id, "--json"}).out;
}

TEST_F(Steering, CtrlCInWatchLeavesTheCampaignAloneAndSaysSo) {
  fleet_.startCoordinator();
  fleet_.startAgent("worker");
  std::string id = fleet_.submit(kTwoSteps, {"--wait"});
  auto watch = fleet_.spawn(program("fleetmark"),
                            {"--coordinator", fleet_.address(), "--identity",
                             fleet_.folder() + "/data/pki/operator", "watch", id},
                            "watch");
  ASSERT_TRUE(eventually([&] { return !fleet_.log("watch").empty(); }));
  watch->interrupt();
  auto ended = watch->wait(std::chrono::seconds(20));
  ASSERT_TRUE(ended) << fleet_.log("watch");
  EXPECT_EQ(ended->code, 130);
  EXPECT_TRUE(has(fleet_.log("watch"), "fleetmark watch " + id)) << fleet_.log("watch");
  EXPECT_TRUE(fleet_.waitForState(id, "done"));
  EXPECT_EQ(count("steps_measured", id), "2");
}

}  // namespace
}  // namespace fleetmark::tests::e2e
