#include "coordinator/domain/group.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace fleetmark::coordinator::domain {
namespace {

using Members = std::vector<GroupMember>;

constexpr GroupMember kReady{StepState::kReady, Arrival::kNotYet};
constexpr GroupMember kLeased{StepState::kLeased, Arrival::kNotYet};
constexpr GroupMember kThere{StepState::kLeased, Arrival::kArrived};
constexpr GroupMember kMeasured{StepState::kMeasured, Arrival::kNotYet};
constexpr GroupMember kFailed{StepState::kFailed, Arrival::kNotYet};
constexpr GroupMember kLost{StepState::kLost, Arrival::kNotYet};

std::string_view word(GroupAction action) {
  switch (action) {
    case GroupAction::kNone:
      return "";
    case GroupAction::kReleaseLeased:
      return "release";
    case GroupAction::kLoseWaiting:
      return "lose";
    case GroupAction::kCancelWaiting:
      return "cancel";
    case GroupAction::kReleaseAndCancel:
      return "release and cancel";
  }
  return "?";
}

std::string told(GroupState state, GroupEventKind event, const Members& members) {
  auto step = apply(state, event, members);
  std::string out(toString(step.next));
  if (step.action != GroupAction::kNone) out += ", " + std::string(word(step.action));
  return out;
}

// Every state x every event, with the members as they are most often then: one is at the barrier
// and the other is still on its way.
TEST(GroupApply, EveryStateAndEvent) {
  const Members members{kThere, kLeased};
  const std::map<GroupState, std::array<const char*, kAllGroupEvents.size()>> expected{
      // claimed, arrived, ended, time up
      {GroupState::kOpen, {"gathering", "open", "open", "open"}},
      {GroupState::kGathering, {"gathering", "gathering", "gathering", "releasing, release"}},
      {GroupState::kRunning, {"running", "running", "running", "running"}},
      {GroupState::kReleasing, {"releasing", "releasing", "releasing", "releasing"}},
      {GroupState::kOver, {"over", "over", "over", "over"}},
  };
  ASSERT_EQ(expected.size(), allGroupStates().size());
  for (auto state : allGroupStates()) {
    for (std::size_t i = 0; i < kAllGroupEvents.size(); ++i) {
      EXPECT_EQ(told(state, kAllGroupEvents[i], members), expected.at(state)[i])
          << toString(state) << " + " << toString(kAllGroupEvents[i]);
    }
  }
}

TEST(GroupApply, BeginsOnlyOnceAllHaveArrived) {
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kMemberArrived, {kThere, kReady}),
            "gathering");
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kMemberArrived, {kThere, kLeased, kThere}),
            "gathering");
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kMemberArrived, {kThere, kThere}),
            "running");
}

TEST(GroupApply, AnArrivalUnderAnEarlierLeaseDoesNotCount) {
  GroupMember came{StepState::kReady, Arrival::kArrived};
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kMemberArrived, {came, kThere}),
            "gathering");
}

TEST(GroupApply, ReleasesAllWhenOneNeverComes) {
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kTimeUp, {kThere, kReady}),
            "releasing, release");
  EXPECT_EQ(told(GroupState::kReleasing, GroupEventKind::kMemberEnded, {kReady, kReady}), "open");
  EXPECT_EQ(told(GroupState::kReleasing, GroupEventKind::kMemberEnded, {kReady, kLeased}),
            "releasing");
}

TEST(GroupApply, GathersOnWhenOneGoesAwayBeforeTheStart) {
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kMemberEnded, {kReady, kThere}),
            "gathering");
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kMemberEnded, {kReady, kReady}), "open");
}

TEST(GroupApply, AllRepeatWhenOneIsLostInTheRunAndNoneHasEnded) {
  EXPECT_EQ(told(GroupState::kRunning, GroupEventKind::kMemberEnded, {kReady, kThere}),
            "releasing, release");
  EXPECT_EQ(told(GroupState::kRunning, GroupEventKind::kMemberEnded, {kReady, kReady}), "open");
}

TEST(GroupApply, NoneRepeatsAloneWhatTheOtherHasMeasured) {
  EXPECT_EQ(told(GroupState::kRunning, GroupEventKind::kMemberEnded, {kMeasured, kReady}),
            "over, lose");
  EXPECT_EQ(told(GroupState::kRunning, GroupEventKind::kMemberEnded, {kFailed, kReady, kThere}),
            "running, lose");
  EXPECT_EQ(told(GroupState::kRunning, GroupEventKind::kMemberEnded, {kMeasured, kThere}),
            "running");
  EXPECT_EQ(told(GroupState::kRunning, GroupEventKind::kMemberEnded, {kMeasured, kFailed}), "over");
}

TEST(GroupApply, NobodyWaitsForAMemberThatEndedBeforeTheStart) {
  EXPECT_EQ(told(GroupState::kGathering, GroupEventKind::kMemberEnded, {kLost, kThere}),
            "releasing, release and cancel");
  EXPECT_EQ(told(GroupState::kReleasing, GroupEventKind::kMemberEnded, {kLost, kReady}),
            "over, cancel");
  EXPECT_EQ(told(GroupState::kOpen, GroupEventKind::kMemberEnded, {kLost, kReady}), "over, cancel");
}

// A little fleet at random: agents claim, arrive, vanish, measure; time runs out. Whatever happens,
// a group that is running has had all of its members at the barrier, no member waits in a group
// that is over, and from everywhere the group ends once agents behave.
class Walk {
 public:
  explicit Walk(unsigned seed) : random_(seed), members_(2 + seed % 3, kReady), attempts_(4) {}

  void randomStep() {
    auto& member = members_[random_() % members_.size()];
    switch (random_() % 6) {
      case 0:
        claim(member);
        break;
      case 1:
      case 2:
        arrive(member);
        break;
      case 3:
        if (member.state == StepState::kLeased) vanish(member);
        break;
      case 4:
        if (group_ == GroupState::kRunning && member.state == StepState::kLeased) end(member);
        break;
      case 5:
        take(GroupEventKind::kTimeUp);
        break;
    }
  }
  void behave() {
    for (int round = 0; round < 20 && group_ != GroupState::kOver; ++round) {
      if (group_ == GroupState::kReleasing || group_ == GroupState::kRunning) {
        for (auto& member : members_) {
          if (member.state != StepState::kLeased) continue;
          if (group_ == GroupState::kRunning) {
            end(member);
          } else {
            vanish(member);
          }
        }
        continue;
      }
      for (auto& member : members_) claim(member);
      for (auto& member : members_) arrive(member);
    }
  }
  GroupState group() const { return group_; }
  bool waiting() const {
    for (const auto& member : members_) {
      if (!isTerminal(member.state)) return true;
    }
    return false;
  }
  bool beganTogether() const { return beganTogether_; }

 private:
  void claim(GroupMember& member) {
    bool may = group_ == GroupState::kOpen || group_ == GroupState::kGathering;
    if (!may || member.state != StepState::kReady) return;
    member = kLeased;
    take(GroupEventKind::kMemberClaimed);
  }
  void arrive(GroupMember& member) {
    if (group_ != GroupState::kGathering || member.state != StepState::kLeased) return;
    member.arrival = Arrival::kArrived;
    take(GroupEventKind::kMemberArrived);
    if (group_ != GroupState::kRunning) return;
    for (const auto& each : members_) beganTogether_ &= each == kThere;
  }
  void vanish(GroupMember& member) {
    member.state = --attempts_ > 0 ? StepState::kReady : StepState::kLost;
    take(GroupEventKind::kMemberEnded);
  }
  void end(GroupMember& member) {
    member.state = random_() % 2 == 0 ? StepState::kMeasured : StepState::kFailed;
    take(GroupEventKind::kMemberEnded);
  }
  void take(GroupEventKind event) {
    auto step = apply(group_, event, members_);
    group_ = step.next;
    for (auto& member : members_) {
      bool waits = member.state == StepState::kReady;
      if (waits && step.action == GroupAction::kLoseWaiting) member.state = StepState::kLost;
      if (waits && (step.action == GroupAction::kCancelWaiting ||
                    step.action == GroupAction::kReleaseAndCancel)) {
        member.state = StepState::kCancelled;
      }
    }
  }

  std::mt19937 random_;
  Members members_;
  int attempts_;
  GroupState group_ = GroupState::kOpen;
  bool beganTogether_ = true;
};

TEST(GroupWalk, BeginsTogetherAndEnds) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Walk walk(seed);
    for (int i = 0; i < 40; ++i) walk.randomStep();
    ASSERT_TRUE(walk.beganTogether()) << "seed " << seed;
    if (walk.group() == GroupState::kOver) {
      ASSERT_FALSE(walk.waiting()) << "seed " << seed;
    }
    walk.behave();
    ASSERT_EQ(walk.group(), GroupState::kOver) << "seed " << seed;
    ASSERT_FALSE(walk.waiting()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
