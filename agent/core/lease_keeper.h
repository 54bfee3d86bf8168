// The heartbeat, on a thread of its own: renews every lease this agent holds, and says hello with
// an empty renewal when it holds none. Waits for no probe, no disk and no upload.
//
// A lease is safe until (moment before the last answered renewal was sent) + ttl - ttl/10, by this
// machine's monotonic clock; the runner ends a step whose lease isn't safe any more.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "agent/core/coordinator_port.h"
#include "agent/core/run_control.h"
#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/model/work.h"

namespace fleetmark::agent::core {

// All calls are safe on any thread; start and stop once.
class LeaseKeeper {
 public:
  // `longestWait`: how long the thread sleeps at most before it looks at `clock` again.
  LeaseKeeper(CoordinatorPort& port, const base::Clock& clock, base::Nanos longestWait)
      : port_(port), clock_(clock), longestWait_(longestWait) {}
  ~LeaseKeeper() { stop(); }

  static base::Nanos safeFor(base::Nanos ttl) { return ttl - ttl / 10; }

  void start(base::Nanos heartbeat);
  // Returns when the thread has ended; the port must have been stopped or answer soon.
  void stop();

  // Renews it at once and then three times in its ttl. `control` is null for a lease whose step
  // is over but not yet acknowledged.
  void add(const model::LeaseRef& lease, base::Nanos ttl, std::shared_ptr<RunControl> control);
  void runOver(const model::LeaseRef& lease);  // goes on renewing, without a run to end
  void remove(const model::LeaseRef& lease);
  // Another call was told that the lease is gone: ends its run.
  void lost(const model::LeaseRef& lease);

 private:
  struct Held {
    model::LeaseRef lease;
    base::Nanos ttl{0};
    std::shared_ptr<RunControl> control;
  };

  void loop();
  base::Nanos intervalLocked() const;
  std::vector<model::LeaseRef> leasesLocked() const;
  void applyLocked(const std::vector<model::LeaseRef>& leases,
                   const std::vector<model::RenewAnswer>& answers, base::MonoTime sent);
  Held* findLocked(const model::LeaseRef& lease);

  CoordinatorPort& port_;
  const base::Clock& clock_;
  base::Nanos longestWait_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Held> held_;  // oldest first
  base::Nanos heartbeat_{0};
  bool due_ = true;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fleetmark::agent::core
