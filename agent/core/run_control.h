// The line between a running step and the threads that may end it. Safe on any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "common/base/clock.h"
#include "common/base/units.h"

namespace fleetmark::agent::core {

enum class StopReason : int {
  kNone,
  kCancelled,      // an operator's wish
  kLeaseLost,      // the coordinator says that the lease is no longer ours
  kLeaseExpired,   // no renewal was answered in time, so another agent may have the step
  kAgentStopping,  // this agent was told to end
};

class RunControl {
 public:
  explicit RunControl(base::MonoTime leaseUntil)
      : leaseUntilNs_(leaseUntil.time_since_epoch().count()) {}

  // The first reason stands.
  void stop(StopReason reason) {
    {
      std::lock_guard lock(mutex_);
      StopReason none = StopReason::kNone;
      reason_.compare_exchange_strong(none, reason);
    }
    wake_.notify_all();
  }
  StopReason reason() const { return reason_.load(); }
  // True as soon as there is a reason to end, false after `limit`.
  bool waitFor(base::Nanos limit) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, limit, [this] { return reason() != StopReason::kNone; });
  }

  // The step may run until then by this machine's monotonic clock.
  void extendLease(base::MonoTime until) {
    {
      std::lock_guard lock(mutex_);
      leaseUntilNs_ = until.time_since_epoch().count();
      renewed_ = true;
    }
    wake_.notify_all();
  }
  // True as soon as a renewal was answered; false after `limit`, or when there is a reason to end.
  bool waitRenewed(base::Nanos limit) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, limit, [this] { return renewed_ || reason() != StopReason::kNone; });
    return renewed_ && reason() == StopReason::kNone;
  }
  base::MonoTime leaseUntil() const { return base::MonoTime(base::Nanos(leaseUntilNs_.load())); }

 private:
  std::atomic<StopReason> reason_{StopReason::kNone};
  std::atomic<std::int64_t> leaseUntilNs_;
  std::mutex mutex_;
  bool renewed_ = false;
  std::condition_variable wake_;
};

}  // namespace fleetmark::agent::core
