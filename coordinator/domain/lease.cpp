#include "coordinator/domain/lease.h"

#include <string>

#include "common/base/check.h"

namespace fleetmark::coordinator::domain {

namespace {

using Table = std::span<const Transition<LeaseState, LeaseEventKind>>;

void expire(Applied<Lease>& out) {
  out.next.state = LeaseState::kExpired;
  out.effects.push_back({EffectKind::kExpireStep, {}, {}});
  out.effects.push_back({EffectKind::kAppendEvent, {}, "lease.expired"});
}

}  // namespace

std::string_view toString(LeaseEventKind kind) {
  switch (kind) {
    case LeaseEventKind::kRenew:
      return "renew";
    case LeaseEventKind::kComplete:
      return "complete";
    case LeaseEventKind::kCancel:
      return "cancel";
    case LeaseEventKind::kRelease:
      return "release";
    case LeaseEventKind::kTick:
      return "tick";
  }
  return "?";
}

Lease newLease(std::int32_t epoch, base::Nanos ttl, TimePoint now) {
  FM_CHECK(epoch > 0 && ttl > base::Nanos(0));
  return {LeaseState::kActive, epoch, now + ttl};
}

base::Result<Applied<Lease>> apply(const Lease& lease, const LeaseEvent& event, TimePoint now) {
  if (!allows(Table(kLeaseTransitions), lease.state, event.kind)) {
    return base::conflict("lease is " + std::string(toString(lease.state)) + ": '" +
                          std::string(toString(event.kind)) + "' can't happen now");
  }
  bool byAgent = event.kind == LeaseEventKind::kRenew || event.kind == LeaseEventKind::kComplete;
  if (byAgent && event.epoch != lease.epoch) {
    return base::conflict("the agent holds epoch " + std::to_string(event.epoch) +
                          ", the lease is of epoch " + std::to_string(lease.epoch));
  }

  Applied<Lease> out{lease, {}};
  bool live = !isTerminal(lease.state);
  bool late = now >= lease.expiresAt;
  switch (event.kind) {
    case LeaseEventKind::kRenew:
      FM_CHECK(event.ttl > base::Nanos(0));
      if (late) {
        expire(out);
      } else {
        out.next.expiresAt = now + event.ttl;
        if (lease.state != LeaseState::kActive) {
          out.effects.push_back({EffectKind::kTellAgentCancel, {}, {}});
        }
      }
      break;
    case LeaseEventKind::kComplete:
      out.next.state = LeaseState::kCompleted;
      out.effects.push_back({EffectKind::kReleaseMachine, {}, {}});
      break;
    case LeaseEventKind::kCancel:
      if (lease.state == LeaseState::kActive) {
        out.effects.push_back({EffectKind::kTellAgentCancel, {}, {}});
      }
      if (live) out.next.state = LeaseState::kCancelling;
      break;
    case LeaseEventKind::kRelease:
      if (lease.state == LeaseState::kActive) {
        out.next.state = LeaseState::kReleasing;
        out.effects.push_back({EffectKind::kTellAgentCancel, {}, {}});
      }
      break;
    case LeaseEventKind::kTick:
      if (live && late) expire(out);
      break;
  }
  FM_CHECK(allows(Table(kLeaseTransitions), lease.state, event.kind, out.next.state));
  return out;
}

}  // namespace fleetmark::coordinator::domain
