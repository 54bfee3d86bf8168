// Random walks through steps and their leases, as a fleet of confused agents would make them:
// every event at every time, old epochs included. What must always hold is checked at each move.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "common/base/random.h"
#include "coordinator/domain/lease.h"
#include "coordinator/domain/step.h"

namespace fleetmark::coordinator::domain {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kTtl = seconds(30);

struct Move {
  StepEvent step;
  LeaseEvent lease;
  bool isLease = false;
  TimePoint at{};
};

struct World {
  Step step = newStep(1, 3);
  std::vector<Lease> leases;

  Lease* live() {
    for (auto& lease : leases) {
      if (!isTerminal(lease.state)) return &lease;
    }
    return nullptr;
  }
  std::size_t liveCount() const {
    std::size_t count = 0;
    for (const auto& lease : leases) count += isTerminal(lease.state) ? 0u : 1u;
    return count;
  }
  bool operator==(const World&) const = default;
};

void endLease(World& world, LeaseState as) {
  if (Lease* lease = world.live()) lease->state = as;
}

// What a service does with an event and its effects.
void perform(World& world, const Move& move) {
  if (move.isLease) {
    Lease* lease = world.live();
    if (lease == nullptr) return;
    auto result = apply(*lease, move.lease, move.at);
    if (!result || move.lease.kind == LeaseEventKind::kComplete) return;  // by the step's event
    *lease = result->next;
    if (!contains(result->effects, EffectKind::kExpireStep)) return;
    auto expired = apply(world.step, {StepEventKind::kLeaseExpired, lease->epoch, {}}, move.at);
    ASSERT_TRUE(expired);
    world.step = expired->next;
    return;
  }
  if (move.step.kind == StepEventKind::kLeaseExpired) return;  // by the lease alone
  bool hadMachine = world.step.state == StepState::kLeased;
  auto result = apply(world.step, move.step, move.at);
  if (!result) return;
  world.step = result->next;
  bool hasMachine = world.step.state == StepState::kLeased;
  ASSERT_EQ(contains(result->effects, EffectKind::kReleaseMachine), hadMachine && !hasMachine);
  if (!hadMachine && hasMachine) {
    world.leases.push_back(newLease(world.step.epoch, kTtl, move.at));
  }
  if (hadMachine && !hasMachine) endLease(world, LeaseState::kCompleted);
  if (contains(result->effects, EffectKind::kTellAgentCancel)) {
    auto told = apply(*world.live(), {LeaseEventKind::kCancel, 0, {}}, move.at);
    ASSERT_TRUE(told);
    *world.live() = told->next;
  }
}

void expectInvariants(const Step& before, const World& world) {
  const Step& after = world.step;
  ASSERT_LE(world.liveCount(), 1u);
  ASSERT_EQ(world.liveCount() == 1, after.state == StepState::kLeased);
  ASSERT_GE(after.epoch, before.epoch);
  ASSERT_LE(after.attempts, after.maxAttempts);
  ASSERT_EQ(after.attempts, static_cast<std::int32_t>(world.leases.size()));
  if (isTerminal(before.state)) {
    ASSERT_EQ(after.state, before.state);
  }
  if (after.state == StepState::kReady) {
    ASSERT_LT(after.attempts, after.maxAttempts);
  }
}

Move randomMove(base::SeededRandom& random, const World& world, TimePoint now) {
  Move move;
  move.at = now;
  move.isLease = random.below(3) == 0;
  auto epoch = static_cast<std::int32_t>(random.below(5));
  if (random.below(2) == 0) epoch = world.step.epoch;
  move.step = {kAllStepEvents[random.below(kAllStepEvents.size())], epoch,
               seconds(random.below(3))};
  // A need is met at most as often as there are needs: the store counts them.
  if (move.step.kind == StepEventKind::kNeedMet && world.step.openNeeds == 0) move.isLease = true;
  if (move.step.kind == StepEventKind::kCancelRequested && random.below(8) != 0) {
    move.step.kind = StepEventKind::kClaimed;
  }
  if (move.step.kind == StepEventKind::kNeedFailed) move.step.kind = StepEventKind::kNeedMet;
  if (move.step.kind == StepEventKind::kNeedMet && world.step.openNeeds == 0) move.isLease = true;
  move.lease = {kAllLeaseEvents[random.below(kAllLeaseEvents.size())], epoch, kTtl};
  if (move.lease.kind == LeaseEventKind::kCancel) move.lease.kind = LeaseEventKind::kTick;
  return move;
}

TEST(StepAndLease, RandomWalksKeepTheInvariantsAndReplayTheSame) {
  std::array<int, 7> endings{};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    base::SeededRandom random(seed);
    World world;
    TimePoint now{seconds(1000)};
    std::vector<Move> moves;
    for (int i = 0; i < 60; ++i) {
      now += milliseconds(random.below(12'000));
      Move move = randomMove(random, world, now);
      Step before = world.step;
      perform(world, move);
      ASSERT_NO_FATAL_FAILURE(expectInvariants(before, world)) << "seed " << seed << " move " << i;
      moves.push_back(move);
    }
    World again;
    for (const auto& move : moves) perform(again, move);
    ASSERT_EQ(again, world) << "seed " << seed;
    ++endings[static_cast<std::size_t>(world.step.state)];
  }
  // The walks are worth something only if they reach every ending.
  for (auto state : allStepStates()) {
    if (!isTerminal(state)) continue;
    EXPECT_GT(endings[static_cast<std::size_t>(state)], 20) << toString(state);
  }
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
