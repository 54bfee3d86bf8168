// A lease: one agent's right to do one step for a while.
//
//              cancel                       complete
//   active -------------> cancelling ------------------> completed
//     |  \                  ^  |                            ^
//     |   \  release        |  | cancel                     |  complete
//     |    +-------> releasing |                            |
//     |     \________________\_|____________________________|
//     |                        |
//     +---- tick or renew at or after the deadline ----> expired
//
// A renewal that comes in time keeps the state. Cancelling and releasing look the same to the
// agent: it ends its probe. They differ in what becomes of the step: cancelled, or another attempt.
//
// The deadline itself is too late: at expiresAt the lease is over. A completion that comes before
// anybody noticed that is still accepted, since no other claim can have been made.
// completed and expired are final.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/base/units.h"
#include "coordinator/domain/machine.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::domain {

struct Lease {
  LeaseState state = LeaseState::kActive;
  std::int32_t epoch = 0;
  TimePoint expiresAt{};
  bool operator==(const Lease&) const = default;
};

enum class LeaseEventKind {
  kRenew,
  kComplete,
  kCancel,   // an operator's wish
  kRelease,  // the step's group broke up
  kTick,     // time has passed
};

inline constexpr std::array kAllLeaseEvents{LeaseEventKind::kRenew, LeaseEventKind::kComplete,
                                            LeaseEventKind::kCancel, LeaseEventKind::kRelease,
                                            LeaseEventKind::kTick};

std::string_view toString(LeaseEventKind kind);

struct LeaseEvent {
  LeaseEventKind kind = LeaseEventKind::kTick;
  std::int32_t epoch = 0;  // kRenew, kComplete: the epoch that the agent holds
  base::Nanos ttl{0};      // kRenew: the new deadline is now + ttl
  bool operator==(const LeaseEvent&) const = default;
};

Lease newLease(std::int32_t epoch, base::Nanos ttl, TimePoint now);

// kConflict: the lease is over, or the agent holds another epoch.
base::Result<Applied<Lease>> apply(const Lease& lease, const LeaseEvent& event, TimePoint now);

inline constexpr Transition<LeaseState, LeaseEventKind> kLeaseTransitions[] = {
    {LeaseState::kActive, LeaseEventKind::kRenew, LeaseState::kActive},
    {LeaseState::kActive, LeaseEventKind::kRenew, LeaseState::kExpired},
    {LeaseState::kActive, LeaseEventKind::kComplete, LeaseState::kCompleted},
    {LeaseState::kActive, LeaseEventKind::kCancel, LeaseState::kCancelling},
    {LeaseState::kActive, LeaseEventKind::kRelease, LeaseState::kReleasing},
    {LeaseState::kActive, LeaseEventKind::kTick, LeaseState::kActive},
    {LeaseState::kActive, LeaseEventKind::kTick, LeaseState::kExpired},

    {LeaseState::kCancelling, LeaseEventKind::kRenew, LeaseState::kCancelling},
    {LeaseState::kCancelling, LeaseEventKind::kRenew, LeaseState::kExpired},
    {LeaseState::kCancelling, LeaseEventKind::kComplete, LeaseState::kCompleted},
    {LeaseState::kCancelling, LeaseEventKind::kCancel, LeaseState::kCancelling},
    {LeaseState::kCancelling, LeaseEventKind::kRelease, LeaseState::kCancelling},
    {LeaseState::kCancelling, LeaseEventKind::kTick, LeaseState::kCancelling},
    {LeaseState::kCancelling, LeaseEventKind::kTick, LeaseState::kExpired},

    {LeaseState::kReleasing, LeaseEventKind::kRenew, LeaseState::kReleasing},
    {LeaseState::kReleasing, LeaseEventKind::kRenew, LeaseState::kExpired},
    {LeaseState::kReleasing, LeaseEventKind::kComplete, LeaseState::kCompleted},
    {LeaseState::kReleasing, LeaseEventKind::kCancel, LeaseState::kCancelling},
    {LeaseState::kReleasing, LeaseEventKind::kRelease, LeaseState::kReleasing},
    {LeaseState::kReleasing, LeaseEventKind::kTick, LeaseState::kReleasing},
    {LeaseState::kReleasing, LeaseEventKind::kTick, LeaseState::kExpired},

    {LeaseState::kCompleted, LeaseEventKind::kCancel, LeaseState::kCompleted},
    {LeaseState::kCompleted, LeaseEventKind::kRelease, LeaseState::kCompleted},
    {LeaseState::kCompleted, LeaseEventKind::kTick, LeaseState::kCompleted},

    {LeaseState::kExpired, LeaseEventKind::kCancel, LeaseState::kExpired},
    {LeaseState::kExpired, LeaseEventKind::kRelease, LeaseState::kExpired},
    {LeaseState::kExpired, LeaseEventKind::kTick, LeaseState::kExpired},
};

}  // namespace fleetmark::coordinator::domain
