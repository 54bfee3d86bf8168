#include <future>

#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

using domain::StepState;
using model::Outcome;

class QueueEnd : public StoreTest {
 protected:
  std::string jobState(base::CampaignId id) {
    return sql(
        "SELECT string_agg(state, ',' ORDER BY position) FROM fleetmark.job "
        "WHERE campaign_id = " +
        std::to_string(id.value));
  }
};

TEST_F(QueueEnd, AMeasuredStepEndsItsJob) {
  auto id = insert(makeCampaign());
  EXPECT_EQ(jobState(id), "pending");
  auto work = claim(enter());
  EXPECT_EQ(jobState(id), "running");
  auto end = endOf(work->lease, StepState::kMeasured, Outcome::kMeasured);
  end.notices = {{"cpu/pin", "refused"}, {"cpu/end", "late"}};
  end.environmentBeforeJson = R"({"load":0.1})";
  finish(end);
  EXPECT_EQ(jobState(id), "done");
  auto told = look(work->lease);
  EXPECT_EQ(told.state, StepState::kMeasured);
  EXPECT_FALSE(told.lease);
  EXPECT_TRUE(told.attemptEnded);
  EXPECT_EQ(told.attemptBodySha256, end.bodySha256);
  EXPECT_EQ(sql("SELECT string_agg(message, ',' ORDER BY id) FROM fleetmark.notice"),
            "refused,late");
  EXPECT_EQ(sql("SELECT environment_before->>'load' FROM fleetmark.attempt"), "0.1");
  auto ended = inUnit([&](ports::UnitOfWork& unit) { return unit.queue().allJobsEnded(id); });
  EXPECT_TRUE(ended);
}

TEST_F(QueueEnd, AnOlderEpochHasItsOwnAttempt) {
  insert(makeCampaign());
  auto who = enter();
  auto first = claim(who);
  finish(endOf(first->lease, StepState::kReady, Outcome::kInfrastructure));
  auto second = claim(who);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->lease.epoch, 2);
  auto told = look(first->lease);  // what a zombie's completion is judged by
  EXPECT_EQ(told.epoch, 2);
  EXPECT_EQ(told.attempt, first->attempt);
  EXPECT_TRUE(told.attemptEnded);
  EXPECT_NE(told.leaseToken, first->lease.token);
  auto unknown = first->lease;
  unknown.epoch = 9;
  EXPECT_FALSE(look(unknown).attempt);
  unknown.step.value = 12345;
  auto unit = must(db_->begin());
  EXPECT_EQ(codeOf(unit->queue().lock(unknown.step, 1)), base::ErrorCode::kNotFound);
}

TEST_F(QueueEnd, ALateCompletionReplacesTheExpiry) {
  auto id = insert(makeCampaign());
  auto work = claim(enter());
  auto expiry = endOf(work->lease, StepState::kReady, Outcome::kInfrastructure);
  expiry.bodySha256.clear();
  finish(expiry);
  EXPECT_EQ(look(work->lease).attemptBodySha256, "");
  std::string ended = sql("SELECT ended_at FROM fleetmark.attempt");
  measured(work->lease);
  EXPECT_EQ(jobState(id), "done");
  EXPECT_EQ(sql("SELECT outcome FROM fleetmark.attempt"), "measured");
  // The machine was free from then on, and may have begun something else.
  EXPECT_EQ(sql("SELECT ended_at FROM fleetmark.attempt"), ended);
}

TEST_F(QueueEnd, ARetryWaitsForItsDelay) {
  auto id = insert(makeCampaign());
  auto who = enter();
  auto work = claim(who);
  auto end = endOf(work->lease, StepState::kReady, Outcome::kInfrastructure);
  end.message = "agent lost";
  end.retryDelay = std::chrono::hours(1);
  finish(end);
  EXPECT_FALSE(claim(who));
  auto told = steps(id)[0];
  EXPECT_EQ(told.state, StepState::kReady);
  EXPECT_EQ(told.message, "agent lost");
  EXPECT_EQ(jobState(id), "running");
  sql("UPDATE fleetmark.step SET run_after = now()");
  EXPECT_TRUE(claim(who));
}

TEST_F(QueueEnd, DependantsBecomeReadyAfterTheirDelay) {
  auto id =
      insert(makeCampaign(1, saveAndRestore(std::chrono::seconds(120), model::HostRelation::kAny)));
  auto who = enter();
  auto work = claim(who);
  EXPECT_FALSE(claim(enter({.name = "b", .machine = "b"})));  // restore is blocked
  measured(work->lease);
  EXPECT_EQ(steps(id)[1].state, StepState::kReady);
  EXPECT_EQ(jobState(id), "running");
  EXPECT_EQ(sql("SELECT round(extract(epoch FROM run_after - now()) / 10) FROM fleetmark.step "
                "WHERE name = 'restore'"),
            "12");
  EXPECT_FALSE(claim(who));
}

TEST_F(QueueEnd, DependantsOfWhatWasNotMeasuredAreCancelled) {
  auto three = saveAndRestore(base::Nanos(0), model::HostRelation::kAny);
  three.push_back({"compare", {{1, base::Nanos(0), model::HostRelation::kAny}}, {}, {}, {}});
  auto id = insert(makeCampaign(1, three));
  auto work = claim(enter());
  finish(endOf(work->lease, StepState::kFailed, Outcome::kMeasurement));
  auto all = steps(id);
  EXPECT_EQ(all[0].state, StepState::kFailed);
  EXPECT_EQ(all[1].state, StepState::kCancelled);
  EXPECT_EQ(all[2].state, StepState::kCancelled);
  EXPECT_EQ(all[2].message, "needs save, which was not measured");
  EXPECT_EQ(jobState(id), "failed");
}

TEST_F(QueueEnd, CancelEndsWhatWaitsAndTellsWhatRuns) {
  auto id = insert(makeCampaign(3));
  auto who = enter();
  auto work = claim(who);
  auto live = inUnit([&](ports::UnitOfWork& unit) -> base::Result<std::uint32_t> {
    FM_TRY(unit.campaigns().lockState(id));
    FM_TRY(unit.campaigns().setState(id, domain::CampaignState::kCancelling));
    return unit.queue().cancelCampaign(id, "the campaign was cancelled");
  });
  EXPECT_EQ(live, 1u);
  EXPECT_EQ(jobState(id), "running,cancelled,cancelled");
  EXPECT_EQ(summary(id).stepsCancelled, 2u);
  EXPECT_EQ(look(work->lease).lease, domain::LeaseState::kCancelling);
  finish(endOf(work->lease, StepState::kCancelled, Outcome::kCancelled));
  EXPECT_EQ(jobState(id), "cancelled,cancelled,cancelled");
  EXPECT_FALSE(claim(who));
}

TEST_F(QueueEnd, NothingBecomesReadyInACampaignThatIsBeingCancelled) {
  auto id = insert(makeCampaign());
  auto work = claim(enter());
  inUnit([&](ports::UnitOfWork& unit) -> base::Result<std::uint32_t> {
    FM_TRY(unit.campaigns().setState(id, domain::CampaignState::kCancelling));
    return unit.queue().cancelCampaign(id, "the campaign was cancelled");
  });
  finish(endOf(work->lease, StepState::kReady, Outcome::kInfrastructure));
  EXPECT_EQ(steps(id)[0].state, StepState::kCancelled);
  EXPECT_EQ(jobState(id), "cancelled");
}

TEST_F(QueueEnd, CancelWaitsForAnEndThatIsUnderWay) {
  auto id = insert(makeCampaign());
  auto work = claim(enter());
  auto ending = open();
  auto unit = must(ending->begin());
  must(unit->queue().lock(work->lease.step, work->lease.epoch));
  must(unit->queue().end(endOf(work->lease, StepState::kReady, Outcome::kInfrastructure)));
  auto cancel = std::async(std::launch::async, [&] {
    auto cancelling = must(db_->begin());
    must(cancelling->queue().cancelCampaign(id, "the campaign was cancelled"));
    must(cancelling->commit());
  });
  must(unit->commit());
  unit.reset();
  cancel.get();
  EXPECT_EQ(steps(id)[0].state, StepState::kCancelled);
}

TEST_F(QueueEnd, AnAttemptThatNeverWasIsNotFound) {
  insert(makeCampaign());
  auto work = claim(enter());
  auto end = endOf(work->lease, StepState::kMeasured, Outcome::kMeasured);
  end.epoch = 5;
  auto unit = must(db_->begin());
  EXPECT_EQ(unit->queue().end(end).error().code, base::ErrorCode::kNotFound);
}

TEST_F(QueueEnd, HostileTextFromAnAgentIsStoredAsText) {
  insert(makeCampaign());
  auto work = claim(enter());
  auto end = endOf(work->lease, StepState::kFailed, Outcome::kMeasurement);
  end.message = std::string("a\0b\xFF'; --", 9);
  end.environmentAfterJson = R"({"x":"\u0000"})";
  end.notices = {{"{\"", std::string("\0", 1)}};
  finish(end);
  EXPECT_EQ(sql("SELECT message FROM fleetmark.attempt"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD'; --");
}

// Two steps that a third needs end in one call.
TEST_F(QueueEnd, ADependantCountsEachNeedThatWasMetInTheSameCall) {
  model::PlannedStep left{"left", {}, {}, {}, {}, "", {}};
  model::PlannedStep right{"right", {}, {}, {}, {}, "", {}};
  model::PlannedStep both{"both",
                          {{0, std::chrono::seconds(60), model::HostRelation::kAny},
                           {1, std::chrono::seconds(120), model::HostRelation::kAny}},
                          {},
                          {},
                          {},
                          "",
                          {}};
  auto id = insert(makeCampaign(1, {left, right, both}));
  auto first = claim(enter({.name = "a", .machine = "m1"}));
  auto second = claim(enter({.name = "b", .machine = "m2"}));
  std::vector ends{endOf(first->lease, StepState::kMeasured, Outcome::kMeasured),
                   endOf(second->lease, StepState::kMeasured, Outcome::kMeasured)};
  auto unit = must(db_->begin());
  must(unit->queue().endEach(ends));
  must(unit->commit());
  EXPECT_EQ(steps(id)[2].state, StepState::kReady);
  EXPECT_EQ(sql("SELECT needs_open || ' ' || round(extract(epoch FROM run_after - now()) / 10) "
                "FROM fleetmark.step WHERE name = 'both'"),
            "0 12");
  EXPECT_EQ(jobState(id), "running");
}

}  // namespace
}  // namespace fleetmark::coordinator::store
