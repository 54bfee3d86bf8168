// A group: steps of a job that as many agents do at the same time (a client and its server).
//
//           a member claimed             all have arrived
//   open -------------------> gathering ------------------> running
//    ^  ^                       |    |                      |     |
//    |  +--- none leased any ---+    | time is up,          |     | all ended
//    |       more                    | a member ended       |     v
//    |                               v                      |    over
//    +----- none leased any ---- releasing <----------------+     ^
//           more                     |        a member's attempt  |
//                                    |        failed, none ended  |
//                                    +----------------------------+
//                                      none leased any more, a member ended
//
// - Members begin together or not at all: before all have arrived nobody starts a probe.
// - Releasing takes every member's lease back, so that all can gather anew. Each of these attempts
//   counts, so a group whose member never comes ends as often as a step may be tried.
// - A member that has ended (measured, failed, lost, cancelled) is not repeated. Then the others
//   can't gather anew: what waits for another attempt is lost where the group had begun, and
//   cancelled where it had not.
// - over is final.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coordinator/domain/machine.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::domain {

enum class GroupState { kOpen, kGathering, kRunning, kReleasing, kOver };

std::string_view toString(GroupState state);
std::optional<GroupState> parseGroupState(std::string_view word);
const std::vector<GroupState>& allGroupStates();

enum class GroupEventKind {
  kMemberClaimed,
  kMemberArrived,
  kMemberEnded,  // an attempt of a member: the step has ended, or waits for its next attempt
  kTimeUp,
};

inline constexpr std::array kAllGroupEvents{GroupEventKind::kMemberClaimed,
                                            GroupEventKind::kMemberArrived,
                                            GroupEventKind::kMemberEnded, GroupEventKind::kTimeUp};

std::string_view toString(GroupEventKind kind);

enum class Arrival { kNotYet, kArrived };

// As the event has left it.
struct GroupMember {
  StepState state = StepState::kReady;
  Arrival arrival = Arrival::kNotYet;  // kArrived: under the lease that it has now
  bool operator==(const GroupMember&) const = default;
};

// What becomes of the members that the event was not about.
enum class GroupAction {
  kNone,
  kReleaseLeased,  // lease.h: kRelease to every leased member
  kLoseWaiting,    // members that wait for another attempt are lost
  kCancelWaiting,  // members that wait are cancelled
  // Both of them: some are leased still, and nobody can begin any more.
  kReleaseAndCancel,
};

struct GroupStep {
  GroupState next = GroupState::kOpen;
  GroupAction action = GroupAction::kNone;
  bool operator==(const GroupStep&) const = default;
};

// Total: any event may come in any state (time is up while a member arrives).
GroupStep apply(GroupState state, GroupEventKind event, std::span<const GroupMember> members);

}  // namespace fleetmark::coordinator::domain
