// A step: the part of a job that one agent does under one lease.
//
//             need met (the last one)          claimed
//   blocked ---------------------------> ready --------> leased
//      |                                 |  ^              |
//      | need failed,                    |  |              +-- measured ------------> measured
//      | cancel requested   cancel       |  |              +-- measurement failed --> failed
//      +--------------> cancelled <------+  |              +-- cancel confirmed ----> cancelled
//                           ^               |              |
//                           |               +--------------+ infrastructure failed, lease expired:
//                           |                 attempts left|
//                           +------------------------------+ cancel wished
//                                                          +--------------> lost (none left)
//
// - A cancel asked for while leased is a wish: the step stays leased until its lease ends. A result
//   that was ready before the agent heard of it (measured, failed) is kept.
// - A result that arrives after its lease expired is accepted as long as no other claim was made
//   (state ready, same epoch): an agent ends its probe before its lease ends, so the measurement
//   had the machine for itself.
// - "Cancelled" said by an agent that nobody asked is an infrastructure failure: an agent can't
//   cancel a campaign's work.
// - measured, failed, lost and cancelled are final.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/units.h"
#include "common/model/sample.h"
#include "coordinator/domain/machine.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::domain {

enum class CancelWish { kNone, kWished };

struct Step {
  StepState state = StepState::kBlocked;
  std::uint32_t openNeeds = 0;  // steps it needs that have not been measured yet
  std::int32_t epoch = 0;       // of the last claim; never falls
  std::int32_t attempts = 0;    // claims made
  std::int32_t maxAttempts = 3;
  CancelWish wish = CancelWish::kNone;
  TimePoint runAfter{};  // may be claimed from then on
  bool operator==(const Step&) const = default;
};

enum class StepEventKind {
  kNeedMet,
  kNeedFailed,
  kClaimed,
  kMeasured,
  kMeasurementFailed,
  kInfrastructureFailed,
  kLeaseExpired,
  kCancelRequested,
  kCancelConfirmed,  // the agent ended the attempt because it was asked to
};

inline constexpr std::array kAllStepEvents{
    StepEventKind::kNeedMet,           StepEventKind::kNeedFailed,
    StepEventKind::kClaimed,           StepEventKind::kMeasured,
    StepEventKind::kMeasurementFailed, StepEventKind::kInfrastructureFailed,
    StepEventKind::kLeaseExpired,      StepEventKind::kCancelRequested,
    StepEventKind::kCancelConfirmed};

std::string_view toString(StepEventKind kind);

struct StepEvent {
  StepEventKind kind = StepEventKind::kClaimed;
  std::int32_t epoch = 0;  // of the lease that ended; others ignore it
  base::Nanos delay{0};    // kNeedMet: the pause that this need asks for
  bool operator==(const StepEvent&) const = default;
};

// The event that a completion of an agent stands for.
StepEventKind eventOf(model::Outcome outcome);

// The first state of a planned step.
Step newStep(std::uint32_t needs, std::int32_t maxAttempts);

// kConflict: the event can't happen in this state, is fenced by a newer epoch, or comes too early.
base::Result<Applied<Step>> apply(const Step& step, const StepEvent& event, TimePoint now);

// Pause before the next attempt: 2 s x 2^attempts, at most 60 s. `attempts`: made so far, so the
// second attempt waits 4 s. Empty: none is left.
std::optional<base::Nanos> retryDelay(std::int32_t attempts, std::int32_t maxAttempts);

inline constexpr Transition<StepState, StepEventKind> kStepTransitions[] = {
    {StepState::kBlocked, StepEventKind::kNeedMet, StepState::kBlocked},
    {StepState::kBlocked, StepEventKind::kNeedMet, StepState::kReady},
    {StepState::kBlocked, StepEventKind::kNeedFailed, StepState::kCancelled},
    {StepState::kBlocked, StepEventKind::kCancelRequested, StepState::kCancelled},

    {StepState::kReady, StepEventKind::kClaimed, StepState::kLeased},
    {StepState::kReady, StepEventKind::kMeasured, StepState::kMeasured},
    {StepState::kReady, StepEventKind::kMeasurementFailed, StepState::kFailed},
    {StepState::kReady, StepEventKind::kInfrastructureFailed, StepState::kReady},
    {StepState::kReady, StepEventKind::kCancelRequested, StepState::kCancelled},
    {StepState::kReady, StepEventKind::kCancelConfirmed, StepState::kReady},

    {StepState::kLeased, StepEventKind::kMeasured, StepState::kMeasured},
    {StepState::kLeased, StepEventKind::kMeasurementFailed, StepState::kFailed},
    {StepState::kLeased, StepEventKind::kInfrastructureFailed, StepState::kReady},
    {StepState::kLeased, StepEventKind::kInfrastructureFailed, StepState::kLost},
    {StepState::kLeased, StepEventKind::kInfrastructureFailed, StepState::kCancelled},
    {StepState::kLeased, StepEventKind::kLeaseExpired, StepState::kReady},
    {StepState::kLeased, StepEventKind::kLeaseExpired, StepState::kLost},
    {StepState::kLeased, StepEventKind::kLeaseExpired, StepState::kCancelled},
    {StepState::kLeased, StepEventKind::kCancelRequested, StepState::kLeased},
    {StepState::kLeased, StepEventKind::kCancelConfirmed, StepState::kCancelled},
    {StepState::kLeased, StepEventKind::kCancelConfirmed, StepState::kReady},
    {StepState::kLeased, StepEventKind::kCancelConfirmed, StepState::kLost},

    {StepState::kMeasured, StepEventKind::kCancelRequested, StepState::kMeasured},

    {StepState::kFailed, StepEventKind::kCancelRequested, StepState::kFailed},

    {StepState::kLost, StepEventKind::kCancelRequested, StepState::kLost},

    {StepState::kCancelled, StepEventKind::kCancelRequested, StepState::kCancelled},
    {StepState::kCancelled, StepEventKind::kNeedMet, StepState::kCancelled},
    {StepState::kCancelled, StepEventKind::kNeedFailed, StepState::kCancelled},
};

}  // namespace fleetmark::coordinator::domain
