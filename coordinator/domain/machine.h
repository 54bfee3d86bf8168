// What the machines of this folder share: effects, and the table of allowed transitions.
//
// A machine is a function: state + event + now -> new state + effects, or an Error (kConflict)
// when the event can't happen in that state. It reads no clock, stores nothing and logs nothing;
// the service stores the new state and the effects in one transaction and performs them.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"

namespace fleetmark::coordinator::domain {

// The database's clock.
using TimePoint = base::WallTime;

enum class EffectKind {
  kAppendEvent,        // `event` is its kind, "step.measured"
  kDueAt,              // may be claimed from `at` on
  kReleaseMachine,     // the machine's one-probe-at-a-time lock
  kTellAgentCancel,    // with its next renewal, or sooner
  kReleaseDependants,  // kNeedMet to each step that needs this one
  kCancelDependants,   // kNeedFailed to each of them
  kExpireStep,         // kLeaseExpired to the step of this lease
  kCancelSteps,        // kCancelRequested to each step of this campaign
  kRollUpJob,
  kRollUpCampaign,
};

struct Effect {
  EffectKind kind = EffectKind::kAppendEvent;
  TimePoint at{};          // kDueAt
  std::string_view event;  // kAppendEvent; a literal
  bool operator==(const Effect&) const = default;
};

using Effects = std::vector<Effect>;

inline bool contains(const Effects& effects, EffectKind kind) {
  return std::any_of(effects.begin(), effects.end(),
                     [kind](const Effect& effect) { return effect.kind == kind; });
}

template <typename T>
struct Applied {
  T next;
  Effects effects;
  bool operator==(const Applied&) const = default;
};

// One allowed transition. Several rows with the same (from, on): which one is taken depends on the
// rest of the state. from == to: the event is accepted and the state stays.
template <typename State, typename EventKind>
struct Transition {
  State from;
  EventKind on;
  State to;
};

template <typename State, typename EventKind>
constexpr bool allows(std::span<const Transition<State, EventKind>> table, State from,
                      EventKind on) {
  for (const auto& row : table) {
    if (row.from == from && row.on == on) return true;
  }
  return false;
}

template <typename State, typename EventKind>
constexpr bool allows(std::span<const Transition<State, EventKind>> table, State from, EventKind on,
                      State to) {
  for (const auto& row : table) {
    if (row.from == from && row.on == on && row.to == to) return true;
  }
  return false;
}

}  // namespace fleetmark::coordinator::domain
