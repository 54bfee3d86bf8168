// A coordinator and agents as people run them, and what can happen to them.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/fleet.h"

namespace fleetmark::tests::e2e {
namespace {

constexpr const char* kSlow =
    "campaign: slow\n"
    "runners: [{name: a}]\n"
    "probes:\n"
    "  - selftest: {samples: 40, interval: 50ms, seed: 7}\n";

// `printf '7/%d'` for 0 to 39 through sha256sum, first 8 digits, summed with bc.
constexpr const char* kSumOfSeed7 = "75875031929";

TEST(Campaign, NoAgentMatchesIsRefusedUnlessWaitIsSaid) {
  Fleet fleet;
  fleet.startCoordinator();
  std::string yaml =
      "campaign: lonely\nrunners: [{name: mac, match: {os: macos}}]\n"
      "probes: [selftest: {samples: 1}]\n";
  fleet.startAgent("here");
  ASSERT_TRUE(eventually(
      [&] { return fleet.fleetmark({"agents"}).out.find("online") != std::string::npos; }));
  auto refused = fleet.fleetmark({"submit", fleet.file("c.yaml", yaml)});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_NE(refused.err.find("runner 'mac' (match: os=macos): no agent online matches"),
            std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("--wait"), std::string::npos) << refused.err;
  EXPECT_EQ(fleet.sql("select count(*) from campaigns"), "0");
  std::string id = fleet.submit(yaml, {"--wait"});
  EXPECT_NE(fleet.fleetmark({"status", id}).out.find("waiting"), std::string::npos);
}

TEST(Campaign, OneProbeAtATimeOnAMachineWithTwoAgents) {
  Fleet fleet;
  fleet.startCoordinator();
  fleet.startAgent("one");
  fleet.startAgent("two");
  ASSERT_TRUE(eventually([&] {
    return fleet.sql("select 1").empty() == false &&
           fleet.fleetmark({"agents", "--json"}).out.find("\"two\"") != std::string::npos;
  }));
  std::string id = fleet.submit(
      "campaign: shared\n"
      "runners:\n"
      "  - {name: a, match: {agent: one}}\n"
      "  - {name: b, match: {agent: two}}\n"
      "probes:\n"
      "  - selftest: {samples: 5, interval: 20ms, seed: 1}\n"
      "  - selftest: {samples: 5, interval: 20ms, seed: 2}\n"
      "  - selftest: {samples: 5, interval: 20ms, seed: 3}\n",
      {"--wait"});
  ASSERT_TRUE(fleet.waitForState(id, "done"));
  EXPECT_EQ(fleet.sql("select count(distinct agent) from samples where campaign_id = " + id), "2");
  // Spans between first and last sample of two attempts must not overlap.
  EXPECT_EQ(fleet.sql("with spans as (select attempt_id, min(started_at) as b, max(started_at) as e"
                      " from samples where campaign_id = " +
                      id +
                      " group by attempt_id) select count(*) from spans x join spans y on"
                      " x.attempt_id < y.attempt_id and x.b < y.e and y.b < x.e"),
            "0");
}

TEST(Campaign, AgentKilledInAProbeAndTheStepGoesToAnotherAttempt) {
  Fleet fleet;
  fleet.startCoordinator();
  auto& agent = fleet.startAgent("victim");
  std::string id = fleet.submit(kSlow, {"--wait"});
  ASSERT_TRUE(eventually(
      [&] { return fleet.sql("select count(*) from samples where campaign_id = " + id) != "0"; }));
  agent.killTree();
  ASSERT_TRUE(agent.wait(std::chrono::seconds(20)));
  fleet.startAgent("victim");
  ASSERT_TRUE(fleet.waitForState(id, "done")) << fleet.log("victim");
  EXPECT_EQ(fleet.sql("select steps_measured || '/' || steps_lost from campaigns where"
                      " campaign_id = " +
                      id),
            "1/0");
  EXPECT_EQ(fleet.sql("select n || ' ' || requested from results where campaign_id = " + id),
            "40 40");
  auto report = fleet.fleetmark({"report", id});
  EXPECT_NE(report.out.find("attempt 1"), std::string::npos) << "the failed attempt is shown\n"
                                                             << report.out;
}

TEST(Campaign, CoordinatorKilledAndTheCampaignGoesOnWithoutLossOrDouble) {
  Fleet fleet;
  fleet.startCoordinator();
  fleet.startAgent("steady");
  std::string id = fleet.submit(kSlow, {"--wait"});
  ASSERT_TRUE(eventually(
      [&] { return fleet.sql("select count(*) from samples where campaign_id = " + id) != "0"; }));
  fleet.coordinator().killTree();
  ASSERT_TRUE(fleet.coordinator().wait(std::chrono::seconds(20)));
  fleet.startCoordinator();
  ASSERT_TRUE(fleet.waitForState(id, "done")) << fleet.log("coordinator") << fleet.log("steady");
  EXPECT_EQ(fleet.sql("select attempts from (select count(distinct attempt_id) as attempts from"
                      " results where campaign_id = " +
                      id + ") x"),
            "1");
  EXPECT_EQ(fleet.sql("select count(*) || ' ' || sum(value)::bigint from samples where"
                      " campaign_id = " +
                      id),
            std::string("40 ") + kSumOfSeed7);
}

TEST(Campaign, CancelKillsTheProbeAndIsFinal) {
  Fleet fleet;
  fleet.startCoordinator();
  fleet.startAgent("stuck");
  std::string id = fleet.submit(
      "campaign: stuck\nrunners: [{name: a}]\n"
      "probes:\n  - selftest: {samples: 2, fault: ignore-term}\n"
      "  - selftest: {samples: 2, seed: 9}\n",
      {"--wait"});
  ASSERT_TRUE(eventually([&] {
    return fleet.fleetmark({"status", id, "--json"}).out.find("\"leased\"") != std::string::npos;
  }));
  auto cancelled = fleet.fleetmark({"cancel", id});
  EXPECT_EQ(cancelled.exitCode, 0) << cancelled.err;
  ASSERT_TRUE(fleet.waitForState(id, "cancelled")) << fleet.log("stuck");
  for (const auto& process : fleet.survivors()) {
    EXPECT_EQ(process.find("probe selftest"), std::string::npos) << process;
  }
  EXPECT_EQ(fleet.fleetmark({"watch", id}).exitCode, 130) << "a cancelled campaign ends so";
}

TEST(Campaign, MeasurementFailureIsAResultAndIsNotTriedAgain) {
  Fleet fleet;
  fleet.startCoordinator();
  fleet.startAgent("plain");
  std::string id = fleet.submit(
      "campaign: failing\nrunners: [{name: a}]\nprobes: [selftest: {samples: 4, fault: fail}]\n",
      {"--wait"});
  EXPECT_EQ(fleet.fleetmark({"watch", id}).exitCode, 1);
  EXPECT_EQ(fleet.sql("select steps_failed from campaigns where campaign_id = " + id), "1");
  EXPECT_EQ(fleet.sql("select count(distinct attempt_id) from samples where campaign_id = " + id),
            "1");
}

TEST(Campaign, CrashingProbeIsInfrastructureAndIsLostAfterThreeAttempts) {
  Fleet fleet;
  fleet.startCoordinator();
  fleet.startAgent("crashy");
  std::string id = fleet.submit(
      "campaign: crashing\nrunners: [{name: a}]\nprobes: [selftest: {samples: 2, fault: crash}]\n",
      {"--wait"});
  auto watched = fleet.fleetmark({"watch", id});
  EXPECT_EQ(watched.exitCode, 3) << watched.out << watched.err;
  EXPECT_NE(fleet.fleetmark({"status", id, "--json"}).out.find("\"attempts\": 3"),
            std::string::npos);
}

TEST(Campaign, DiskProbeSaysWhatIsWrongWithTheFolder) {
  Fleet fleet;
  fleet.startCoordinator();
  fleet.startAgent("disk");
  std::string id = fleet.submit(
      "campaign: folders\nrunners: [{name: a}]\nprobes:\n"
      "  - disk: {path: /no/such/folder, file: 1MiB, samples: 1, min_duration: 10ms}\n"
      "  - disk: {path: /dev/shm, file: 1MiB, samples: 1, min_duration: 20ms}\n"
      "  - disk: {path: /proc, file: 1MiB, samples: 1, min_duration: 30ms}\n"
      "  - disk: {path: /var/tmp, file: 1024GiB, samples: 1, min_duration: 40ms}\n",
      {"--wait"});
  EXPECT_EQ(fleet.fleetmark({"watch", id}).exitCode, 1);
  EXPECT_EQ(fleet.sql("select steps_failed from campaigns where campaign_id = " + id), "4");
  std::string report = fleet.fleetmark({"report", id}).out;
  EXPECT_NE(report.find("/no/such/folder"), std::string::npos) << report;
  EXPECT_NE(report.find("tmpfs"), std::string::npos) << report;
  EXPECT_NE(report.find("space"), std::string::npos) << report;
}

}  // namespace
}  // namespace fleetmark::tests::e2e
