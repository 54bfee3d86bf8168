#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class CampaignStore : public StoreTest {};

TEST_F(CampaignStore, StoresAPlanAndTellsItBack) {
  auto id = insert(makeCampaign(3));
  auto told = summary(id);
  EXPECT_EQ(told.name, "quick");
  EXPECT_EQ(told.state, domain::CampaignState::kQueued);
  EXPECT_EQ(told.stepsTotal, 3u);
  EXPECT_EQ(told.estimate, std::chrono::seconds(15));
  EXPECT_FALSE(told.finishedAt);
  auto all = steps(id);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].trial, 3u);
  EXPECT_EQ(all[0].runner, "linux");
  EXPECT_EQ(all[0].probe, "cpu");
  // printf '{"params":{"samples":5},"probe":"cpu","protocol":1}' | sha256sum
  EXPECT_EQ(all[0].fingerprint, "75830c1f7472");
  EXPECT_EQ(all[0].state, domain::StepState::kReady);
  EXPECT_EQ(all[0].estimate, std::chrono::seconds(5));
}

TEST_F(CampaignStore, SameRequestKeyIsTheSameCampaign) {
  auto campaign = makeCampaign();
  campaign.requestKey = "once";
  auto first = insert(campaign);
  EXPECT_EQ(insert(campaign), first);
  campaign.requestKey = "";
  EXPECT_NE(insert(campaign), first);
  EXPECT_NE(insert(campaign), first);
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.step"), "3");
}

TEST_F(CampaignStore, ResolvesIdsAndTheNewestOfAName) {
  auto first = insert(makeCampaign());
  auto second = insert(makeCampaign());
  auto unit = must(db_->begin());
  EXPECT_EQ(must(unit->campaigns().resolve(std::to_string(first.value))), first);
  EXPECT_EQ(must(unit->campaigns().resolve("quick")), second);
  auto wrong = unit->campaigns().resolve("quikc");
  EXPECT_EQ(codeOf(wrong), base::ErrorCode::kNotFound);
  EXPECT_NE(wrong.error().message.find("'quick'"), std::string::npos);
  EXPECT_EQ(codeOf(unit->campaigns().resolve("999")), base::ErrorCode::kNotFound);
  // A lookup that found nothing leaves the unit usable.
  EXPECT_EQ(must(unit->campaigns().list(10)).size(), 2u);
}

TEST_F(CampaignStore, TextThatLooksLikeSqlIsText) {
  auto campaign = makeCampaign();
  campaign.plan.spec.name = "'; DROP TABLE fleetmark.campaign; --";
  campaign.plan.spec.runners[0].match["k\"}'"] = "\\";
  auto id = insert(campaign);
  EXPECT_EQ(summary(id).name, campaign.plan.spec.name);
  auto unit = must(db_->begin());
  EXPECT_EQ(must(unit->campaigns().resolve(campaign.plan.spec.name)), id);
  EXPECT_EQ(must(unit->samples().report(id)).runners[0], campaign.plan.spec.runners[0]);
}

TEST_F(CampaignStore, TenThousandStepsTakeAFewStatements) {
  auto id = insert(makeCampaign(5000, saveAndRestore(base::Nanos(0), model::HostRelation::kAny)));
  auto told = summary(id);
  EXPECT_EQ(told.stepsTotal, 10'000u);
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.step_dependency"), "5000");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.step WHERE state = 'blocked'"), "5000");
}

TEST_F(CampaignStore, FinishableIsACampaignWhoseJobsHaveAllEnded) {
  auto id = insert(makeCampaign());
  auto who = enter();
  auto work = claim(who);
  ASSERT_TRUE(work);
  auto finishable = [&] {
    return inUnit([](ports::UnitOfWork& unit) { return unit.campaigns().finishable(); });
  };
  EXPECT_TRUE(finishable().empty());
  measured(work->lease);
  EXPECT_EQ(finishable(), std::vector{id});
  auto unit = must(db_->begin());
  EXPECT_EQ(must(unit->campaigns().lockState(id)), domain::CampaignState::kRunning);
  must(unit->campaigns().setState(id, domain::CampaignState::kDone));
  must(unit->commit());
  unit.reset();
  EXPECT_TRUE(finishable().empty());
  EXPECT_TRUE(summary(id).finishedAt.has_value());
}

TEST_F(CampaignStore, APlanThatNamesWhatIsNotThereIsRefused) {
  auto campaign = makeCampaign();
  campaign.plan.jobs[0].steps[0].needs.push_back({7, base::Nanos(0), model::HostRelation::kAny});
  auto unit = must(db_->begin());
  EXPECT_EQ(codeOf(unit->campaigns().insert(campaign)), base::ErrorCode::kInvalid);
}

TEST_F(CampaignStore, WithoutCommitNothingIsStored) {
  {
    auto unit = must(db_->begin());
    must(unit->campaigns().insert(makeCampaign()));
  }
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.campaign"), "0");
}

}  // namespace
}  // namespace fleetmark::coordinator::store
