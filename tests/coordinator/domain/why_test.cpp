#include "coordinator/domain/why.h"

#include <gtest/gtest.h>

namespace fleetmark::coordinator::domain {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// `date -u -d @1796047390` is 2026-11-30 14:03:10.
const TimePoint kGapEnd = base::fromUnixNanos(1'796'047'390'000'000'000);

WhyAgent agent(const std::string& name, const model::Labels& labels, std::int64_t host = 1) {
  WhyAgent out;
  out.name = name;
  out.labels = labels;
  out.probes = {"cpu/1", "disk/2"};
  out.host = host;
  out.bootId = "boot of " + name;
  out.machineKey = "key of " + name;
  return out;
}

WhyFacts facts() {
  WhyFacts out;
  out.now = kGapEnd - seconds(90);
  out.campaign = "quick";
  out.state = CampaignState::kRunning;
  out.runners = {{{"os", "linux"}}};
  out.agents = {agent("local-a", {{"os", "linux"}})};
  return out;
}

WhyStep step() {
  WhyStep out;
  out.state = StepState::kReady;
  out.capability = "cpu/1";
  return out;
}

WhyNeed need(const std::string& name, StepState state,
             model::HostRelation relation = model::HostRelation::kAny) {
  WhyNeed out;
  out.name = name;
  out.state = state;
  out.relation = relation;
  return out;
}

// "kind: text" of all that is not met, a line each.
std::string unmet(const WhyFacts& facts, const WhyStep& step) {
  std::string out;
  auto answer = Why(facts).explain(step);
  for (const auto& reason : answer.reasons) {
    if (reason.met == Met::kYes) continue;
    out += (out.empty() ? "" : "\n") + std::string(toString(reason.kind)) + ": " + reason.text;
  }
  return out;
}

std::vector<std::string> kinds(const WhyFacts& facts, const WhyStep& step) {
  std::vector<std::string> out;
  auto answer = Why(facts).explain(step);
  for (const auto& reason : answer.reasons) {
    out.emplace_back(toString(reason.kind));
  }
  return out;
}

TEST(Why, NamesEachThingThatIsMetWhenNothingHoldsAStepBack) {
  EXPECT_EQ(kinds(facts(), step()),
            (std::vector<std::string>{"paused", "ended", "needs", "gap", "labels", "probe",
                                      "quarantined", "draining", "machine_busy"}));
  EXPECT_EQ(unmet(facts(), step()), "");
  auto all = facts();
  EXPECT_EQ(Why(all).waiting(step()), "");
  EXPECT_EQ(Why(all).explain(step()).estimate, base::Nanos(0));
}

TEST(Why, APausedCampaignHasNoEstimate) {
  auto all = facts();
  all.paused = true;
  EXPECT_EQ(unmet(all, step()), "paused: campaign quick is paused; fleetmark resume lets it go on");
  EXPECT_FALSE(Why(all).explain(step()).estimate);
}

TEST(Why, ACampaignThatIsBeingCancelledHandsOutNothing) {
  auto all = facts();
  all.state = CampaignState::kCancelling;
  EXPECT_EQ(unmet(all, step()), "ended: campaign quick is cancelling");
}

TEST(Why, NeedsAreNamedWithTheirState) {
  auto blocked = step();
  blocked.state = StepState::kBlocked;
  blocked.needs = {need("save", StepState::kMeasured), need("warm", StepState::kLeased)};
  EXPECT_EQ(unmet(facts(), blocked), "needs: needs 'warm', which is leased");
}

TEST(Why, AGapSaysWhenItEndsAndIsTheEstimate) {
  auto all = facts();
  auto later = step();
  later.runAfter = kGapEnd;
  EXPECT_EQ(unmet(all, later), "gap: gap ends in 1m30s (14:03:10Z)");
  EXPECT_EQ(Why(all).explain(later).estimate, seconds(90));
  later.attempts = 1;
  EXPECT_EQ(unmet(all, later), "gap: the pause before another attempt ends in 1m30s (14:03:10Z)");
  all.now = kGapEnd;  // over at its very end
  EXPECT_EQ(unmet(all, later), "");
}

TEST(Why, LabelsNameTheNearestAgentAndWhatItLacks) {
  auto all = facts();
  all.runners = {{{"os", "linux"}, {"region", "eu"}}};
  all.agents = {agent("far", {{"os", "windows"}}), agent("local-a", {{"os", "linux"}})};
  EXPECT_EQ(unmet(all, step()),
            "labels: no agent online matches {os: linux, region: eu}; nearest: local-a lacks "
            "region");
  EXPECT_FALSE(Why(all).explain(step()).estimate);
  all.agents[1].labels["region"] = "us";
  EXPECT_NE(unmet(all, step()).find("nearest: local-a has region us"), std::string::npos);
  all.agents.clear();
  EXPECT_EQ(unmet(all, step()), "labels: no agent is online");
}

TEST(Why, AProbeOfAnotherVersionIsNamed) {
  auto disk = step();
  disk.capability = "disk/1";
  EXPECT_EQ(unmet(facts(), disk),
            "probe: no agent online that matches has the probe disk/1; local-a has disk/2");
  disk.capability = "net/1";
  EXPECT_NE(unmet(facts(), disk).find("local-a has no net"), std::string::npos);
}

TEST(Why, HostRelationsAreJudgedAsTheClaimDoes) {
  using R = model::HostRelation;
  struct Row {
    R relation;
    std::int64_t measuredOn;
    std::int64_t triedOn;
    std::string boot;
    bool met;
  };
  const Row rows[] = {
      {R::kSame, 1, 1, "", true},       {R::kSame, 2, 2, "", false},
      {R::kDifferent, 1, 1, "", false}, {R::kDifferent, 2, 1, "", true},
      {R::kFresh, 2, 1, "", false},     {R::kFresh, 2, 2, "boot of local-a", false},
      {R::kFresh, 2, 2, "other", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(model::toString(row.relation)) + " " + std::to_string(row.measuredOn) +
                 row.boot);
    auto second = step();
    second.needs = {need("save", StepState::kMeasured, row.relation)};
    second.needs[0].measuredOn = {row.measuredOn};
    second.needs[0].triedOn = {row.triedOn};
    second.needs[0].triedBoots = {row.boot};
    auto text = unmet(facts(), second);
    EXPECT_EQ(text.empty(), row.met) << text;
    if (!row.met) {
      EXPECT_EQ(text.rfind("host: must run ", 0), 0u) << text;
      EXPECT_NE(text.find("'save'; local-a is none"), std::string::npos) << text;
    }
  }
}

TEST(Why, QuarantineAndDrainingNameAgentAndReason) {
  auto all = facts();
  all.agents[0].quarantine = "no disk";
  EXPECT_EQ(unmet(all, step()),
            "quarantined: quarantined: local-a because: no disk; fleetmark release lets it work "
            "again");
  EXPECT_FALSE(Why(all).explain(step()).estimate);
  all.agents.push_back(agent("local-b", {{"os", "linux"}}, 2));
  EXPECT_EQ(unmet(all, step()), "");
  all.agents[1].draining = true;
  EXPECT_EQ(unmet(all, step()), "draining: draining: local-b; fleetmark undrain lets it work");
}

TEST(Why, ABusyMachineSaysWithWhatAndForHowLong) {
  auto all = facts();
  all.running["key of local-a"] = {"neighbour", "other / disk", milliseconds(39'001)};
  EXPECT_EQ(unmet(all, step()),
            "machine_busy: machine busy: neighbour runs other / disk for about 40s more");
  EXPECT_EQ(Why(all).explain(step()).estimate, milliseconds(39'001));
  all.running["key of local-a"].left = seconds(-5);  // over its estimate
  EXPECT_NE(unmet(all, step()).find("for about 1s more"), std::string::npos);
  EXPECT_EQ(Why(all).explain(step()).estimate, base::Nanos(0));
  all.agents.push_back(agent("local-b", {{"os", "linux"}}, 2));
  EXPECT_EQ(unmet(all, step()), "");
}

TEST(Why, TheEstimateIsTheLongerOfGapAndMachine) {
  auto all = facts();
  all.running["key of local-a"] = {"local-a", "quick / disk", seconds(120)};
  auto later = step();
  later.runAfter = kGapEnd;
  EXPECT_EQ(Why(all).explain(later).estimate, seconds(120));
  all.running["key of local-a"].left = seconds(5);
  EXPECT_EQ(Why(all).explain(later).estimate, seconds(90));
}

TEST(Why, AGroupThatRunsOrIsReleasedTakesNobody) {
  auto member = step();
  member.group = "pair";
  EXPECT_EQ(unmet(facts(), member), "");
  member.groupState = GroupState::kGathering;
  EXPECT_EQ(unmet(facts(), member), "");
  member.groupState = GroupState::kReleasing;
  EXPECT_EQ(unmet(facts(), member),
            "group: group 'pair' is releasing; its members begin together or not at all");
}

TEST(Why, ManyAgentsAreCountedAfterTheThird) {
  auto all = facts();
  for (const char* name : {"b", "c", "d", "e"})
    all.agents.push_back(agent(name, {{"os", "linux"}}));
  for (auto& each : all.agents) each.draining = true;
  EXPECT_EQ(unmet(all, step()),
            "draining: draining: local-a, b, c and 2 more; fleetmark undrain lets it work");
}

TEST(Why, WaitingIsTheFirstThingThatHoldsBack) {
  auto all = facts();
  all.paused = true;
  all.agents.clear();
  EXPECT_EQ(Why(all).waiting(step()), "campaign quick is paused; fleetmark resume lets it go on");
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
