#include "coordinator/service/why.h"

#include "coordinator/service/agents.h"
#include "coordinator/service/look.h"
#include "coordinator/service/pause.h"
#include "tests/coordinator/service/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

using store::codeOf;
using store::makeCampaign;
using store::saveAndRestore;

class Why : public ServiceTest {
 protected:
  ports::JobReasons whyJob(base::JobId job) {
    return must(why(*db_, Settings(), std::to_string(job.value)));
  }
  // "kind: text" of what a step waits for, one a line; the first job's step with that place.
  std::string unmet(base::CampaignId id, std::size_t place = 0) {
    auto reasons = whyJob(steps(id).at(0).job);
    std::string out;
    for (const auto& constraint : reasons.steps.at(place).constraints) {
      if (constraint.holds) continue;
      out += (out.empty() ? "" : "\n") + constraint.kind + ": " + constraint.text;
    }
    return out;
  }
  std::string waiting(base::CampaignId id, std::size_t place = 0) {
    return must(campaignStatus(*db_, Settings(), std::to_string(id.value))).steps.at(place).waiting;
  }
};

TEST_F(Why, AJobIsFoundByItsNumberAndByThatOfAStep) {
  auto id = insert(makeCampaign(2));
  auto step = steps(id)[1];
  auto byJob = whyJob(step.job);
  EXPECT_EQ(byJob.job, step.job);
  EXPECT_EQ(byJob.campaign, id);
  EXPECT_EQ(byJob.campaignName, "quick");
  EXPECT_EQ(byJob.runner, "linux");
  EXPECT_EQ(byJob.probe, "cpu");
  EXPECT_EQ(byJob.trial, 2u);
  ASSERT_EQ(byJob.steps.size(), 1u);
  EXPECT_EQ(byJob.steps[0].stepName, "measure");
  auto byStep = must(why(*db_, Settings(), "step " + std::to_string(step.step.value)));
  EXPECT_EQ(byStep.job, step.job);
  EXPECT_EQ(codeOf(why(*db_, Settings(), "4711")), base::ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(why(*db_, Settings(), "step 4711")), base::ErrorCode::kNotFound);
  for (const char* bad : {"", "step", "step ", "1x", "-1", "99999999999999999999"}) {
    EXPECT_EQ(codeOf(why(*db_, Settings(), bad)), base::ErrorCode::kInvalid) << bad;
  }
}

TEST_F(Why, StatusSaysTheSameAsWhy) {
  auto id = insert(makeCampaign());
  EXPECT_EQ(unmet(id), "labels: no agent is online");
  EXPECT_EQ(waiting(id), "no agent is online");
  auto who = agentOn("a");
  EXPECT_EQ(unmet(id), "");
  EXPECT_EQ(waiting(id), "");
  must(agentDisconnected(*db_, who));
  EXPECT_EQ(waiting(id), "no agent is online");
}

TEST_F(Why, ABusyMachineIsNamedWithWhatRunsThere) {
  auto id = insert(makeCampaign(2));
  auto who = agentOn("a");
  ASSERT_TRUE(take(who));
  EXPECT_EQ(unmet(id), "");  // the first job runs
  EXPECT_TRUE(waiting(id, 1).starts_with("machine busy: agent on a runs quick / cpu for about "))
      << waiting(id, 1);
  auto second = whyJob(steps(id)[1].job);
  ASSERT_TRUE(second.steps[0].estimate);
  EXPECT_LE(*second.steps[0].estimate, std::chrono::seconds(5));  // the step's estimate
}

TEST_F(Why, PauseDrainAndQuarantineAreTold) {
  auto id = insert(makeCampaign());
  agentOn("a");
  must(setCampaignPaused(*db_, "quick", ports::Pausing::kPause));
  EXPECT_EQ(waiting(id), "campaign quick is paused; fleetmark resume lets it go on");
  must(setCampaignPaused(*db_, "quick", ports::Pausing::kResume));
  must(setAgent(*db_, Settings(), "agent on a", ports::AgentWish::kDrain));
  EXPECT_EQ(waiting(id), "draining: agent on a; fleetmark undrain lets it work");
  sql("UPDATE fleetmark.agent SET quarantined_at = now(), quarantine_reason = 'no disk'");
  EXPECT_TRUE(waiting(id).starts_with("quarantined: agent on a because: no disk")) << waiting(id);
}

TEST_F(Why, NeedsThenGapThenHost) {
  auto id = insert(
      makeCampaign(1, saveAndRestore(std::chrono::hours(1), model::HostRelation::kDifferent)));
  auto who = agentOn("a");
  EXPECT_EQ(unmet(id, 1), "needs: needs 'save', which is ready");
  auto save = take(who);
  EXPECT_EQ(waiting(id, 1), "needs 'save', which is leased");
  end(who, save->lease, model::Outcome::kMeasured);
  auto text = unmet(id, 1);
  EXPECT_TRUE(text.starts_with("gap: gap ends in ")) << text;
  EXPECT_NE(text.find("host: must run on another machine than 'save'; agent on a is none"),
            std::string::npos)
      << text;
  later("2 hours");
  EXPECT_FALSE(take(who));
  EXPECT_TRUE(unmet(id, 1).starts_with("host: ")) << unmet(id, 1);
  auto other = agentOn("b");
  EXPECT_EQ(unmet(id, 1), "");
  EXPECT_TRUE(take(other));
}

TEST_F(Why, StepsThatRunOrHaveEndedWaitForNothing) {
  auto id = insert(makeCampaign());
  auto who = agentOn("a");
  auto work = take(who);
  EXPECT_TRUE(whyJob(steps(id)[0].job).steps[0].constraints.empty());
  end(who, work->lease, model::Outcome::kMeasured);
  auto ended = whyJob(steps(id)[0].job);
  EXPECT_EQ(ended.state, domain::JobState::kDone);
  EXPECT_EQ(ended.steps[0].state, domain::StepState::kMeasured);
  EXPECT_TRUE(ended.steps[0].constraints.empty());
}

}  // namespace
}  // namespace fleetmark::coordinator::service
