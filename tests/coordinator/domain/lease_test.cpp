#include "coordinator/domain/lease.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

namespace fleetmark::coordinator::domain {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

const TimePoint kNow{seconds(1'000'000)};

Lease inState(LeaseState state) { return {state, 1, kNow + seconds(10)}; }

LeaseEvent of(LeaseEventKind kind) { return {kind, 1, seconds(30)}; }

using Matrix = std::map<LeaseState, std::array<const char*, kAllLeaseEvents.size()>>;

void expectMatrix(const Matrix& matrix, TimePoint now) {
  ASSERT_EQ(matrix.size(), allLeaseStates().size());
  for (auto state : allLeaseStates()) {
    for (std::size_t i = 0; i < kAllLeaseEvents.size(); ++i) {
      auto result = apply(inState(state), of(kAllLeaseEvents[i]), now);
      std::string next = result ? std::string(toString(result->next.state)) : "-";
      EXPECT_EQ(next, matrix.at(state)[i])
          << toString(state) << " + " << toString(kAllLeaseEvents[i]);
    }
  }
}

TEST(LeaseApply, EveryStateAndEventBeforeTheDeadline) {
  expectMatrix(
      {
          // renew, complete, cancel, release, tick
          {LeaseState::kActive, {"active", "completed", "cancelling", "releasing", "active"}},
          {LeaseState::kCancelling,
           {"cancelling", "completed", "cancelling", "cancelling", "cancelling"}},
          {LeaseState::kReleasing,
           {"releasing", "completed", "cancelling", "releasing", "releasing"}},
          {LeaseState::kCompleted, {"-", "-", "completed", "completed", "completed"}},
          {LeaseState::kExpired, {"-", "-", "expired", "expired", "expired"}},
      },
      kNow + seconds(10) - nanoseconds(1));
}

TEST(LeaseApply, EveryStateAndEventAtTheDeadline) {
  expectMatrix(
      {
          {LeaseState::kActive, {"expired", "completed", "cancelling", "releasing", "expired"}},
          {LeaseState::kCancelling,
           {"expired", "completed", "cancelling", "cancelling", "expired"}},
          {LeaseState::kReleasing, {"expired", "completed", "cancelling", "releasing", "expired"}},
          {LeaseState::kCompleted, {"-", "-", "completed", "completed", "completed"}},
          {LeaseState::kExpired, {"-", "-", "expired", "expired", "expired"}},
      },
      kNow + seconds(10));
}

TEST(LeaseApply, ExpiresExactlyAtDeadline) {
  Lease lease = newLease(1, seconds(30), kNow);
  auto before = apply(lease, of(LeaseEventKind::kTick), kNow + seconds(30) - nanoseconds(1));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->next.state, LeaseState::kActive);
  EXPECT_TRUE(before->effects.empty());
  auto at = apply(lease, of(LeaseEventKind::kTick), kNow + seconds(30));
  ASSERT_TRUE(at);
  EXPECT_EQ(at->next.state, LeaseState::kExpired);
  EXPECT_TRUE(contains(at->effects, EffectKind::kExpireStep));
}

TEST(LeaseApply, RenewMovesTheDeadlineFromNowNotFromTheOldOne) {
  Lease lease = newLease(1, seconds(30), kNow);
  auto renewed = apply(lease, {LeaseEventKind::kRenew, 1, seconds(30)}, kNow + seconds(7));
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->next.expiresAt, kNow + seconds(37));
}

TEST(LeaseApply, RenewAtTheDeadlineIsTooLate) {
  Lease lease = newLease(1, seconds(30), kNow);
  auto result = apply(lease, {LeaseEventKind::kRenew, 1, seconds(30)}, kNow + seconds(30));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->next.state, LeaseState::kExpired);
  EXPECT_EQ(result->next.expiresAt, lease.expiresAt);
}

TEST(LeaseApply, ACancellingLeaseTellsTheAgentWithEachRenewal) {
  auto result = apply(inState(LeaseState::kCancelling), of(LeaseEventKind::kRenew), kNow);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->next.state, LeaseState::kCancelling);
  EXPECT_TRUE(contains(result->effects, EffectKind::kTellAgentCancel));
}

TEST(LeaseApply, AnotherEpochIsFenced) {
  for (auto kind : {LeaseEventKind::kRenew, LeaseEventKind::kComplete}) {
    for (std::int32_t epoch : {0, 2}) {
      auto result = apply(inState(LeaseState::kActive), {kind, epoch, seconds(30)}, kNow);
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().code, base::ErrorCode::kConflict);
    }
  }
}

TEST(LeaseApply, CompletingFreesTheMachine) {
  auto result = apply(inState(LeaseState::kActive), of(LeaseEventKind::kComplete), kNow);
  ASSERT_TRUE(result);
  EXPECT_TRUE(contains(result->effects, EffectKind::kReleaseMachine));
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
