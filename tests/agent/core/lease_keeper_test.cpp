#include "agent/core/lease_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/core/fake_coordinator.h"
#include "tests/agent/core/work_values.h"
#include "tests/support/manual_clock.h"

namespace fleetmark::agent::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeCoordinator;
using testing::makeAssignment;

class LeaseKeeperTest : public ::testing::Test {
 protected:
  ~LeaseKeeperTest() override {
    coordinator_.stop();
    keeper_.stop();
  }
  std::shared_ptr<RunControl> add() {
    auto control = std::make_shared<RunControl>(clock_.mono() + LeaseKeeper::safeFor(seconds(30)));
    keeper_.add(lease_, seconds(30), control);
    return control;
  }
  bool reachRenewals(int count) {
    return coordinator_.waitUntil([&](const auto& seen) { return seen.renewals >= count; });
  }
  // True once `what` holds; the keeper applies an answer a moment after the fake has given it.
  template <typename F>
  bool soon(F what) {
    for (int round = 0; round < 20'000; ++round) {
      if (what()) return true;
      std::this_thread::yield();
      int renewals = -1;
      coordinator_.waitUntil([&](const auto& seen) {
        if (renewals < 0) renewals = seen.renewals;
        return true;
      });
    }
    return false;
  }

  tests::ManualClock clock_;
  FakeCoordinator coordinator_;
  LeaseKeeper keeper_{coordinator_, clock_, milliseconds(1)};
  const model::LeaseRef lease_ = makeAssignment().lease;
};

TEST(LeaseMargin, IsATenthOfTheTtl) {
  EXPECT_EQ(LeaseKeeper::safeFor(seconds(30)), base::Nanos(seconds(27)));
}

TEST_F(LeaseKeeperTest, BeatsWithoutLeases) {
  keeper_.start(seconds(10));
  ASSERT_TRUE(reachRenewals(1));
  clock_.advance(seconds(10));
  ASSERT_TRUE(reachRenewals(2));
  EXPECT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.lastRenewed.empty(); }));
}

TEST_F(LeaseKeeperTest, RenewsANewLeaseAtOnceAndThreeTimesInItsTtl) {
  keeper_.start(seconds(3600));
  ASSERT_TRUE(reachRenewals(1));
  auto control = add();
  ASSERT_TRUE(reachRenewals(2));
  EXPECT_EQ(control->leaseUntil(), clock_.mono() + seconds(27));
  clock_.advance(seconds(10));
  ASSERT_TRUE(reachRenewals(3));
  ASSERT_TRUE(soon([&] { return control->leaseUntil() == clock_.mono() + seconds(27); }));
}

TEST_F(LeaseKeeperTest, CountsFromTheMomentBeforeTheRenewalWasSent) {
  keeper_.start(seconds(3600));
  ASSERT_TRUE(reachRenewals(1));
  coordinator_.script([](auto& script) { script.silentRenews = true; });
  auto sent = clock_.mono();
  auto control = add();
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.renewsUnderWay == 1; }));
  clock_.advance(seconds(5));  // the answer takes 5 s
  coordinator_.script([](auto& script) { script.silentRenews = false; });
  ASSERT_TRUE(reachRenewals(2));
  ASSERT_TRUE(soon([&] { return control->leaseUntil() == sent + seconds(27); }));
}

TEST_F(LeaseKeeperTest, EndsTheRunOfALostLease) {
  coordinator_.script([](auto& script) { script.renewAnswer = model::RenewAnswer::kLost; });
  auto control = add();
  keeper_.start(seconds(3600));
  ASSERT_TRUE(soon([&] { return control->reason() == StopReason::kLeaseLost; }));
}

TEST_F(LeaseKeeperTest, EndsTheRunOfACancelledStep) {
  coordinator_.script([](auto& script) { script.renewAnswer = model::RenewAnswer::kCancel; });
  auto control = add();
  keeper_.start(seconds(3600));
  ASSERT_TRUE(soon([&] { return control->reason() == StopReason::kCancelled; }));
}

TEST_F(LeaseKeeperTest, RetriesAFailedRenewalBeforeTheNextIsDue) {
  coordinator_.script([](auto& script) {
    script.renews.push_back(base::unavailable("gone"));
    script.renews.push_back(base::overloaded("busy"));
  });
  auto control = add();
  auto until = control->leaseUntil();
  keeper_.start(seconds(3600));
  ASSERT_TRUE(soon([&] {
    clock_.advance(milliseconds(500));  // a retry is due after 2.5 s, not after 10
    return control->leaseUntil() > until;
  }));
  EXPECT_EQ(control->reason(), StopReason::kNone);
}

TEST_F(LeaseKeeperTest, RenewsWhatIsOverButNotAcknowledgedAndEndsNoRunForIt) {
  auto control = add();
  keeper_.runOver(lease_);
  coordinator_.script([](auto& script) { script.renewAnswer = model::RenewAnswer::kCancel; });
  keeper_.start(seconds(10));
  ASSERT_TRUE(coordinator_.waitUntil(
      [&](const auto& seen) { return seen.lastRenewed == std::vector{lease_}; }));
  clock_.advance(seconds(10));
  ASSERT_TRUE(coordinator_.waitUntil(
      [](const auto& seen) { return seen.renewals >= 2 && seen.lastRenewed.empty(); }));
  EXPECT_EQ(control->reason(), StopReason::kNone);
}

}  // namespace
}  // namespace fleetmark::agent::core
