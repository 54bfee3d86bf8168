#include "coordinator/domain/step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>

namespace fleetmark::coordinator::domain {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

const TimePoint kNow{seconds(1'000'000)};

Step inState(StepState state) {
  Step step;
  step.state = state;
  step.openNeeds = state == StepState::kBlocked ? 1 : 0;
  step.epoch = state == StepState::kBlocked ? 0 : 1;
  step.attempts = step.epoch;
  step.maxAttempts = 3;
  return step;
}

StepEvent of(StepEventKind kind, std::int32_t epoch = 1) { return {kind, epoch, {}}; }

// One row a state, one column an event in the order of kAllStepEvents; "-" is refused.
using Matrix = std::map<StepState, std::array<const char*, kAllStepEvents.size()>>;

void expectMatrix(const Matrix& matrix, const std::function<void(Step&)>& prepare) {
  ASSERT_EQ(matrix.size(), allStepStates().size());
  for (auto state : allStepStates()) {
    for (std::size_t i = 0; i < kAllStepEvents.size(); ++i) {
      Step step = inState(state);
      prepare(step);
      auto result = apply(step, of(kAllStepEvents[i], step.epoch), kNow);
      std::string next = result ? std::string(toString(result->next.state)) : "-";
      EXPECT_EQ(next, matrix.at(state)[i])
          << toString(state) << " + " << toString(kAllStepEvents[i]);
      if (!result) {
        EXPECT_EQ(result.error().code, base::ErrorCode::kConflict);
      }
    }
  }
}

TEST(StepApply, EveryStateAndEventWithAttemptsLeft) {
  expectMatrix(
      {
          // need met, need failed, claimed, measured, measurement failed,
          // infrastructure failed, lease expired, cancel requested, cancel confirmed
          {StepState::kBlocked, {"ready", "cancelled", "-", "-", "-", "-", "-", "cancelled", "-"}},
          {StepState::kReady,
           {"-", "-", "leased", "measured", "failed", "ready", "-", "cancelled", "ready"}},
          {StepState::kLeased,
           {"-", "-", "-", "measured", "failed", "ready", "ready", "leased", "ready"}},
          {StepState::kMeasured, {"-", "-", "-", "-", "-", "-", "-", "measured", "-"}},
          {StepState::kFailed, {"-", "-", "-", "-", "-", "-", "-", "failed", "-"}},
          {StepState::kLost, {"-", "-", "-", "-", "-", "-", "-", "lost", "-"}},
          {StepState::kCancelled,
           {"cancelled", "cancelled", "-", "-", "-", "-", "-", "cancelled", "-"}},
      },
      [](Step&) {});
}

TEST(StepApply, EveryStateAndEventOnTheLastAttempt) {
  expectMatrix(
      {
          {StepState::kBlocked, {"ready", "cancelled", "-", "-", "-", "-", "-", "cancelled", "-"}},
          // Ready after its last attempt can't happen; nothing may claim it all the same.
          {StepState::kReady,
           {"-", "-", "-", "measured", "failed", "ready", "-", "cancelled", "ready"}},
          {StepState::kLeased,
           {"-", "-", "-", "measured", "failed", "lost", "lost", "leased", "lost"}},
          {StepState::kMeasured, {"-", "-", "-", "-", "-", "-", "-", "measured", "-"}},
          {StepState::kFailed, {"-", "-", "-", "-", "-", "-", "-", "failed", "-"}},
          {StepState::kLost, {"-", "-", "-", "-", "-", "-", "-", "lost", "-"}},
          {StepState::kCancelled,
           {"cancelled", "cancelled", "-", "-", "-", "-", "-", "cancelled", "-"}},
      },
      [](Step& step) { step.maxAttempts = std::max(step.attempts, 1); });
}

TEST(StepApply, ALeasedStepWithACancelWishEndsCancelledUnlessAResultCame) {
  Step step = inState(StepState::kLeased);
  step.wish = CancelWish::kWished;
  const std::map<StepEventKind, StepState> expected{
      {StepEventKind::kMeasured, StepState::kMeasured},
      {StepEventKind::kMeasurementFailed, StepState::kFailed},
      {StepEventKind::kInfrastructureFailed, StepState::kCancelled},
      {StepEventKind::kLeaseExpired, StepState::kCancelled},
      {StepEventKind::kCancelConfirmed, StepState::kCancelled},
      {StepEventKind::kCancelRequested, StepState::kLeased},
  };
  for (const auto& [kind, state] : expected) {
    auto result = apply(step, of(kind), kNow);
    ASSERT_TRUE(result) << toString(kind);
    EXPECT_EQ(result->next.state, state) << toString(kind);
  }
}

TEST(StepApply, ClaimRaisesEpochAndAttempts) {
  Step step = newStep(0, 3);
  EXPECT_EQ(step.state, StepState::kReady);
  auto claimed = apply(step, of(StepEventKind::kClaimed), kNow);
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->next.epoch, 1);
  EXPECT_EQ(claimed->next.attempts, 1);
}

TEST(StepApply, MayBeClaimedExactlyWhenDue) {
  Step step = newStep(0, 3);
  step.runAfter = kNow;
  EXPECT_FALSE(apply(step, of(StepEventKind::kClaimed), kNow - nanoseconds(1)));
  EXPECT_TRUE(apply(step, of(StepEventKind::kClaimed), kNow));
}

TEST(StepApply, BecomesReadyWithTheLastNeedAndTheLongestDelay) {
  Step step = newStep(2, 3);
  auto first = apply(step, {StepEventKind::kNeedMet, 0, seconds(120)}, kNow);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->next.state, StepState::kBlocked);
  EXPECT_TRUE(first->effects.empty());
  auto second = apply(first->next, {StepEventKind::kNeedMet, 0, seconds(5)}, kNow + seconds(10));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->next.state, StepState::kReady);
  EXPECT_EQ(second->next.runAfter, kNow + seconds(120));
  EXPECT_EQ(second->effects.front(),
            (Effect{EffectKind::kDueAt, kNow + seconds(120), std::string_view()}));
}

TEST(StepApply, AnotherEpochIsFenced) {
  Step step = inState(StepState::kLeased);
  step.epoch = 2;
  for (auto kind : {StepEventKind::kMeasured, StepEventKind::kMeasurementFailed,
                    StepEventKind::kInfrastructureFailed, StepEventKind::kLeaseExpired,
                    StepEventKind::kCancelConfirmed}) {
    EXPECT_FALSE(apply(step, of(kind, 1), kNow)) << toString(kind);
    EXPECT_TRUE(apply(step, of(kind, 2), kNow)) << toString(kind);
    EXPECT_FALSE(apply(step, of(kind, 3), kNow)) << toString(kind);
  }
}

TEST(StepApply, ALateResultOfTheSameEpochIsAcceptedAndALateLossChangesNothing) {
  Step step = inState(StepState::kReady);
  auto measured = apply(step, of(StepEventKind::kMeasured), kNow);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->next.state, StepState::kMeasured);
  EXPECT_FALSE(contains(measured->effects, EffectKind::kReleaseMachine));
  auto lost = apply(step, of(StepEventKind::kInfrastructureFailed), kNow);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->next, step);
  EXPECT_TRUE(lost->effects.empty());
}

TEST(StepApply, NothingEndsAStepThatNobodyClaimed) {
  Step step = newStep(0, 3);
  EXPECT_FALSE(apply(step, of(StepEventKind::kMeasured, 0), kNow));
}

TEST(StepApply, AnAgentThatWasNotAskedCanNotCancel) {
  auto result = apply(inState(StepState::kLeased), of(StepEventKind::kCancelConfirmed), kNow);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->next.state, StepState::kReady);
}

TEST(StepApply, EffectsOfAnEndReachMachineDependantsAndJob) {
  auto measured = apply(inState(StepState::kLeased), of(StepEventKind::kMeasured), kNow);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->effects, (Effects{{EffectKind::kReleaseMachine, {}, {}},
                                        {EffectKind::kReleaseDependants, {}, {}},
                                        {EffectKind::kRollUpJob, {}, {}},
                                        {EffectKind::kAppendEvent, {}, "step.measured"}}));
  auto failed = apply(inState(StepState::kLeased), of(StepEventKind::kMeasurementFailed), kNow);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->effects, (Effects{{EffectKind::kReleaseMachine, {}, {}},
                                      {EffectKind::kCancelDependants, {}, {}},
                                      {EffectKind::kRollUpJob, {}, {}},
                                      {EffectKind::kAppendEvent, {}, "step.failed"}}));
}

TEST(StepApply, ALossFreesTheMachineAndSetsTheNextTime) {
  auto lost = apply(inState(StepState::kLeased), of(StepEventKind::kLeaseExpired), kNow);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->next.runAfter, kNow + seconds(4));
  EXPECT_EQ(lost->effects, (Effects{{EffectKind::kReleaseMachine, {}, {}},
                                    {EffectKind::kDueAt, kNow + seconds(4), {}},
                                    {EffectKind::kAppendEvent, {}, "step.retry"}}));
}

TEST(StepApply, ACancelWishIsToldOnce) {
  auto first = apply(inState(StepState::kLeased), of(StepEventKind::kCancelRequested), kNow);
  ASSERT_TRUE(first);
  EXPECT_TRUE(contains(first->effects, EffectKind::kTellAgentCancel));
  auto second = apply(first->next, of(StepEventKind::kCancelRequested), kNow);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->effects.empty());
}

TEST(StepApply, EveryOutcomeOfAnAttemptIsAnEvent) {
  EXPECT_EQ(eventOf(model::Outcome::kMeasured), StepEventKind::kMeasured);
  EXPECT_EQ(eventOf(model::Outcome::kMeasurement), StepEventKind::kMeasurementFailed);
  EXPECT_EQ(eventOf(model::Outcome::kInfrastructure), StepEventKind::kInfrastructureFailed);
  EXPECT_EQ(eventOf(model::Outcome::kCancelled), StepEventKind::kCancelConfirmed);
}

TEST(RetryDelay, DoublesFromFourSecondsToASixtySecondCap) {
  // 2 s x 2^1, 2^2, 2^3, 2^4; 2^5 = 64 s is over the cap.
  EXPECT_EQ(retryDelay(1, 10), seconds(4));
  EXPECT_EQ(retryDelay(2, 10), seconds(8));
  EXPECT_EQ(retryDelay(3, 10), seconds(16));
  EXPECT_EQ(retryDelay(4, 10), seconds(32));
  EXPECT_EQ(retryDelay(5, 10), seconds(60));
  EXPECT_EQ(retryDelay(1'000'000, 2'000'000), seconds(60));
  EXPECT_EQ(retryDelay(3, 3), std::nullopt);
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
