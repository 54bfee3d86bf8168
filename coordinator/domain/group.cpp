#include "coordinator/domain/group.h"

#include <algorithm>

#include "common/model/words.h"

namespace fleetmark::coordinator::domain {

namespace {

constexpr model::Words<GroupState, 5> kGroupWords{{{
    {GroupState::kOpen, "open"},
    {GroupState::kGathering, "gathering"},
    {GroupState::kRunning, "running"},
    {GroupState::kReleasing, "releasing"},
    {GroupState::kOver, "over"},
}}};

struct Count {
  std::size_t all = 0;
  std::size_t leased = 0;
  std::size_t arrived = 0;
  std::size_t ended = 0;
};

Count countOf(std::span<const GroupMember> members) {
  Count out;
  for (const auto& member : members) {
    ++out.all;
    bool leased = member.state == StepState::kLeased;
    out.leased += leased ? 1u : 0u;
    out.arrived += leased && member.arrival == Arrival::kArrived ? 1u : 0u;
    out.ended += isTerminal(member.state) ? 1u : 0u;
  }
  return out;
}

GroupStep memberEnded(GroupState state, const Count& count) {
  bool waiting = count.ended + count.leased < count.all;
  if (count.ended == count.all) return {GroupState::kOver, GroupAction::kNone};
  switch (state) {
    case GroupState::kRunning:
      if (!waiting) return {GroupState::kRunning, GroupAction::kNone};
      if (count.ended > 0) {
        bool over = count.leased == 0;
        return {over ? GroupState::kOver : GroupState::kRunning, GroupAction::kLoseWaiting};
      }
      if (count.leased == 0) return {GroupState::kOpen, GroupAction::kNone};
      return {GroupState::kReleasing, GroupAction::kReleaseLeased};
    case GroupState::kOpen:
    case GroupState::kGathering:
    case GroupState::kReleasing:
      if (count.ended > 0) {
        if (count.leased == 0) return {GroupState::kOver, GroupAction::kCancelWaiting};
        return {GroupState::kReleasing, GroupAction::kReleaseAndCancel};
      }
      if (count.leased == 0) return {GroupState::kOpen, GroupAction::kNone};
      return {state, GroupAction::kNone};
    case GroupState::kOver:
      break;
  }
  return {GroupState::kOver, GroupAction::kNone};
}

}  // namespace

std::string_view toString(GroupState state) { return kGroupWords.word(state); }
std::optional<GroupState> parseGroupState(std::string_view word) { return kGroupWords.parse(word); }
const std::vector<GroupState>& allGroupStates() {
  static const std::vector<GroupState> all = kGroupWords.all();
  return all;
}

std::string_view toString(GroupEventKind kind) {
  switch (kind) {
    case GroupEventKind::kMemberClaimed:
      return "member claimed";
    case GroupEventKind::kMemberArrived:
      return "member arrived";
    case GroupEventKind::kMemberEnded:
      return "member ended";
    case GroupEventKind::kTimeUp:
      return "time up";
  }
  return "?";
}

GroupStep apply(GroupState state, GroupEventKind event, std::span<const GroupMember> members) {
  const Count count = countOf(members);
  switch (event) {
    case GroupEventKind::kMemberClaimed:
      if (state == GroupState::kOpen) return {GroupState::kGathering, GroupAction::kNone};
      return {state, GroupAction::kNone};
    case GroupEventKind::kMemberArrived:
      if (state == GroupState::kGathering && count.arrived == count.all) {
        return {GroupState::kRunning, GroupAction::kNone};
      }
      return {state, GroupAction::kNone};
    case GroupEventKind::kTimeUp:
      if (state != GroupState::kGathering) return {state, GroupAction::kNone};
      if (count.leased == 0) return {GroupState::kOpen, GroupAction::kNone};
      return {GroupState::kReleasing, GroupAction::kReleaseLeased};
    case GroupEventKind::kMemberEnded:
      return memberEnded(state, count);
  }
  return {state, GroupAction::kNone};
}

}  // namespace fleetmark::coordinator::domain
