#include "coordinator/domain/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fleetmark::coordinator::domain {
namespace {

using model::Order;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

model::ProbeUse probe(const std::string& name, base::Nanos estimate = seconds(10)) {
  model::ProbeUse use;
  use.profile.probe = name;
  use.profile.fingerprint = "fp-" + name;
  use.estimate = estimate;
  use.timeLimit = minutes(10);
  return use;
}

model::CampaignSpec spec(std::vector<std::string> runners, std::vector<std::string> probes,
                         Order order = Order::kInterleave) {
  model::CampaignSpec out;
  out.name = "c";
  for (auto& name : runners) out.runners.push_back({name, "static", {}, {}});
  for (auto& name : probes) out.probes.push_back(probe(name));
  out.order = order;
  return out;
}

// "A:cpu B:cpu"
std::string sequence(const model::Plan& plan) {
  std::string out;
  for (const auto& job : plan.jobs) {
    if (!out.empty()) out += " ";
    out += plan.spec.runners[job.runner].name + ":" + plan.spec.probes[job.probe].profile.probe;
  }
  return out;
}

std::string planned(model::CampaignSpec campaign) {
  auto plan = makePlan(std::move(campaign));
  return plan ? sequence(*plan) : plan.error().message;
}

TEST(Planner, DeclaredGoesRunnerByRunner) {
  EXPECT_EQ(planned(spec({"A", "B"}, {"cpu", "disk"}, Order::kDeclared)),
            "A:cpu A:disk B:cpu B:disk");
}

TEST(Planner, InterleaveLetsTheRunnersTakeTurns) {
  EXPECT_EQ(planned(spec({"A", "B", "C"}, {"cpu", "disk"})),
            "A:cpu B:cpu C:cpu A:disk B:disk C:disk");
}

TEST(Planner, AbbaTurnsRoundFromProbeToProbe) {
  EXPECT_EQ(planned(spec({"A", "B"}, {"cpu", "disk"}, Order::kAbba)), "A:cpu B:cpu B:disk A:disk");
}

TEST(Planner, AbbaTurnsRoundPerProfileToo) {
  EXPECT_EQ(planned(spec({"A", "B"}, {"cpu", "disk", "cpu", "disk"}, Order::kAbba)),
            "A:cpu B:cpu B:disk A:disk B:cpu A:cpu A:disk B:disk");
}

TEST(Planner, RandomFollowsTheSeed) {
  // Six jobs in interleaved order, shuffled by tests/common/base/xoshiro_reference.py 42 6:
  // 3 5 4 1 2 0.
  auto campaign = spec({"A", "B", "C"}, {"cpu", "disk"}, Order::kRandom);
  campaign.seed = 42;
  EXPECT_EQ(planned(campaign), "A:disk C:disk B:disk B:cpu C:cpu A:cpu");
  EXPECT_EQ(planned(campaign), planned(campaign));
  auto other = campaign;
  other.seed = 43;
  EXPECT_NE(planned(campaign), planned(other));
}

TEST(Planner, PositionsCountFromZeroWithoutGaps) {
  for (auto order : {Order::kDeclared, Order::kInterleave, Order::kAbba, Order::kRandom}) {
    auto plan = makePlan(spec({"A", "B", "C"}, {"cpu", "disk", "cpu"}, order));
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->jobs.size(), 9u);
    for (std::size_t i = 0; i < plan->jobs.size(); ++i) EXPECT_EQ(plan->jobs[i].position, i);
  }
}

TEST(Planner, OnLimitsAProbeToItsRunners) {
  auto campaign = spec({"A", "B"}, {"cpu", "disk"});
  campaign.probes[1].on = {"B"};
  EXPECT_EQ(planned(campaign), "A:cpu B:cpu B:disk");
}

TEST(Planner, TheSameProfileAgainIsTheNextTrial) {
  auto plan = makePlan(spec({"A", "B"}, {"cpu", "cpu"}));
  ASSERT_TRUE(plan);
  std::vector<std::uint32_t> trials;
  for (const auto& job : plan->jobs) trials.push_back(job.trial);
  EXPECT_THAT(trials, ElementsAre(1, 1, 2, 2));
}

TEST(Planner, AnotherPlacementIsNoNewTrial) {
  auto campaign = spec({"A"}, {"disk", "disk"});
  campaign.probes[1].placementJson = R"({"path":"/mnt"})";
  auto plan = makePlan(campaign);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->jobs[1].trial, 1u);
}

TEST(Planner, OneStepMeasureWithTheSmallerLimit) {
  auto campaign = spec({"A"}, {"cpu"});
  campaign.noProgressLimit = seconds(60);
  auto plan = makePlan(campaign);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->jobs[0].steps.size(), 1u);
  EXPECT_EQ(plan->jobs[0].steps[0].name, "measure");
  EXPECT_TRUE(plan->jobs[0].steps[0].needs.empty());
  EXPECT_EQ(plan->jobs[0].steps[0].timeLimit, minutes(10));
  EXPECT_EQ(plan->jobs[0].steps[0].noProgressLimit, seconds(60));
  campaign.jobLimit = minutes(5);
  EXPECT_EQ(makePlan(campaign)->jobs[0].steps[0].timeLimit, minutes(5));
  campaign.jobLimit = minutes(30);
  EXPECT_EQ(makePlan(campaign)->jobs[0].steps[0].timeLimit, minutes(10));
}

TEST(Planner, EstimatesParallelAndOnOneMachine) {
  auto campaign = spec({"A", "B"}, {"cpu", "disk"});
  campaign.probes[1].estimate = seconds(25);
  campaign.probes[1].on = {"B"};
  auto plan = makePlan(campaign);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->estimate, seconds(35));            // B: 10 + 25
  EXPECT_EQ(plan->estimateOneMachine, seconds(45));  // A 10, B 35
}

TEST(Planner, EstimatesStayInRange) {
  auto campaign = spec({"A"}, {"cpu", "cpu"});
  for (auto& use : campaign.probes) use.estimate = base::Nanos::max() - seconds(1);
  auto plan = makePlan(campaign);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->estimate, base::Nanos::max());
}

TEST(Planner, RefusesAnEmptyMatrix) {
  EXPECT_THAT(planned(spec({}, {"cpu"})), HasSubstr("names no runner"));
  EXPECT_THAT(planned(spec({"A"}, {})), HasSubstr("names no probe"));
}

TEST(Planner, RefusesAnUnknownRunnerUnderOn) {
  auto campaign = spec({"A"}, {"cpu"});
  campaign.probes[0].on = {"Z"};
  EXPECT_THAT(planned(campaign), HasSubstr("'Z'"));
}

TEST(Planner, RefusesMoreJobsThanTheLimit) {
  std::vector<std::string> runners, probes(100, "cpu");
  for (int i = 0; i < 100; ++i) runners.push_back("r" + std::to_string(i));
  EXPECT_TRUE(makePlan(spec(runners, probes)));
  probes.push_back("cpu");
  auto plan = makePlan(spec(runners, probes));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, base::ErrorCode::kInvalid);
  EXPECT_THAT(plan.error().message, HasSubstr("10000"));
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
