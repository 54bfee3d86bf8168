#include "coordinator/domain/step.h"

#include <algorithm>
#include <string>

#include "common/base/check.h"

namespace fleetmark::coordinator::domain {

namespace {

using std::chrono::seconds;

using Table = std::span<const Transition<StepState, StepEventKind>>;

base::Error refused(const Step& step, const StepEvent& event) {
  return base::conflict("step is " + std::string(toString(step.state)) + ": '" +
                        std::string(toString(event.kind)) + "' can't happen now");
}

void append(Effects& effects, EffectKind kind) { effects.push_back({kind, {}, {}}); }

void appendEvent(Effects& effects, std::string_view event) {
  effects.push_back({EffectKind::kAppendEvent, {}, event});
}

// Ends the step for good. `from`: only a leased step holds a machine.
void finish(Applied<Step>& out, StepState from, StepState to, std::string_view event) {
  out.next.state = to;
  out.next.wish = CancelWish::kNone;
  if (from == StepState::kLeased) append(out.effects, EffectKind::kReleaseMachine);
  append(out.effects, to == StepState::kMeasured ? EffectKind::kReleaseDependants
                                                 : EffectKind::kCancelDependants);
  append(out.effects, EffectKind::kRollUpJob);
  appendEvent(out.effects, event);
}

void needMet(Applied<Step>& out, base::Nanos delay, TimePoint now) {
  FM_CHECK(out.next.openNeeds > 0);
  out.next.runAfter = std::max(out.next.runAfter, now + delay);
  if (--out.next.openNeeds > 0) return;
  out.next.state = StepState::kReady;
  out.effects.push_back({EffectKind::kDueAt, out.next.runAfter, {}});
  appendEvent(out.effects, "step.ready");
}

void claimed(Applied<Step>& out) {
  out.next.state = StepState::kLeased;
  out.next.epoch += 1;
  out.next.attempts += 1;
  append(out.effects, EffectKind::kRollUpJob);
  appendEvent(out.effects, "step.leased");
}

// The attempt was lost, which says nothing about what it measured.
void attemptLost(Applied<Step>& out, TimePoint now) {
  if (out.next.wish == CancelWish::kWished) {
    finish(out, StepState::kLeased, StepState::kCancelled, "step.cancelled");
    return;
  }
  auto delay = retryDelay(out.next.attempts, out.next.maxAttempts);
  if (!delay) {
    finish(out, StepState::kLeased, StepState::kLost, "step.lost");
    return;
  }
  out.next.state = StepState::kReady;
  out.next.runAfter = now + *delay;
  append(out.effects, EffectKind::kReleaseMachine);
  out.effects.push_back({EffectKind::kDueAt, out.next.runAfter, {}});
  appendEvent(out.effects, "step.retry");
}

void cancelRequested(Applied<Step>& out) {
  if (isTerminal(out.next.state)) return;
  if (out.next.state != StepState::kLeased) {
    finish(out, out.next.state, StepState::kCancelled, "step.cancelled");
    return;
  }
  if (out.next.wish == CancelWish::kWished) return;
  out.next.wish = CancelWish::kWished;
  append(out.effects, EffectKind::kTellAgentCancel);
  appendEvent(out.effects, "step.cancelling");
}

bool endsLease(StepEventKind kind) {
  switch (kind) {
    case StepEventKind::kMeasured:
    case StepEventKind::kMeasurementFailed:
    case StepEventKind::kInfrastructureFailed:
    case StepEventKind::kLeaseExpired:
    case StepEventKind::kCancelConfirmed:
      return true;
    case StepEventKind::kNeedMet:
    case StepEventKind::kNeedFailed:
    case StepEventKind::kClaimed:
    case StepEventKind::kCancelRequested:
      return false;
  }
  return false;
}

}  // namespace

std::string_view toString(StepEventKind kind) {
  switch (kind) {
    case StepEventKind::kNeedMet:
      return "need met";
    case StepEventKind::kNeedFailed:
      return "need failed";
    case StepEventKind::kClaimed:
      return "claimed";
    case StepEventKind::kMeasured:
      return "measured";
    case StepEventKind::kMeasurementFailed:
      return "measurement failed";
    case StepEventKind::kInfrastructureFailed:
      return "infrastructure failed";
    case StepEventKind::kLeaseExpired:
      return "lease expired";
    case StepEventKind::kCancelRequested:
      return "cancel requested";
    case StepEventKind::kCancelConfirmed:
      return "cancel confirmed";
  }
  return "?";
}

StepEventKind eventOf(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::kMeasured:
      return StepEventKind::kMeasured;
    case model::Outcome::kMeasurement:
      return StepEventKind::kMeasurementFailed;
    case model::Outcome::kInfrastructure:
      return StepEventKind::kInfrastructureFailed;
    case model::Outcome::kCancelled:
      return StepEventKind::kCancelConfirmed;
  }
  return StepEventKind::kInfrastructureFailed;
}

Step newStep(std::uint32_t needs, std::int32_t maxAttempts) {
  FM_CHECK(maxAttempts > 0);
  Step step;
  step.state = needs == 0 ? StepState::kReady : StepState::kBlocked;
  step.openNeeds = needs;
  step.maxAttempts = maxAttempts;
  return step;
}

base::Result<Applied<Step>> apply(const Step& step, const StepEvent& event, TimePoint now) {
  if (!allows(Table(kStepTransitions), step.state, event.kind)) return refused(step, event);
  if (endsLease(event.kind)) {
    if (event.epoch != step.epoch) {
      return base::conflict("the event belongs to epoch " + std::to_string(event.epoch) +
                            ", the step is at epoch " + std::to_string(step.epoch));
    }
    if (step.attempts == 0) return refused(step, event);
  }
  if (event.kind == StepEventKind::kClaimed) {
    if (now < step.runAfter) return base::conflict("the step may not be claimed yet");
    if (step.attempts >= step.maxAttempts) return base::conflict("no attempt is left");
  }

  Applied<Step> out{step, {}};
  switch (event.kind) {
    case StepEventKind::kNeedMet:
      if (step.state == StepState::kBlocked) needMet(out, event.delay, now);
      break;
    case StepEventKind::kNeedFailed:
      if (step.state == StepState::kBlocked) {
        finish(out, step.state, StepState::kCancelled, "step.cancelled");
      }
      break;
    case StepEventKind::kClaimed:
      claimed(out);
      break;
    case StepEventKind::kMeasured:
      finish(out, step.state, StepState::kMeasured, "step.measured");
      break;
    case StepEventKind::kMeasurementFailed:
      finish(out, step.state, StepState::kFailed, "step.failed");
      break;
    case StepEventKind::kInfrastructureFailed:
    case StepEventKind::kLeaseExpired:
    case StepEventKind::kCancelConfirmed:
      // Late, the step is ready again: the loss was counted when the lease expired.
      if (step.state == StepState::kLeased) attemptLost(out, now);
      break;
    case StepEventKind::kCancelRequested:
      cancelRequested(out);
      break;
  }
  FM_CHECK(allows(Table(kStepTransitions), step.state, event.kind, out.next.state));
  return out;
}

std::optional<base::Nanos> retryDelay(std::int32_t attempts, std::int32_t maxAttempts) {
  FM_CHECK(attempts >= 0);
  if (attempts >= maxAttempts) return std::nullopt;
  constexpr int kDoublings = 5;  // 2 s x 2^5 is over the cap
  auto delay = seconds(2) * (1 << std::min(attempts, kDoublings));
  return std::min<base::Nanos>(delay, seconds(60));
}

}  // namespace fleetmark::coordinator::domain
