#pragma once

#include <kj/async.h>

namespace fleetmark::coordinator::rpc {

// Wakes everybody who waits for something to have changed. A wake is a hint: whoever is woken looks
// again, and looks from time to time without one (another coordinator may have made the change).
class ChangeSignal {
 public:
  ChangeSignal() { renew(); }
  kj::Promise<void> wait() { return promise_.addBranch(); }
  void raise() {
    auto fulfiller = kj::mv(fulfiller_);
    renew();
    fulfiller->fulfill();
  }

 private:
  void renew() {
    auto pair = kj::newPromiseAndFulfiller<void>();
    fulfiller_ = kj::mv(pair.fulfiller);
    promise_ = pair.promise.fork();
  }

  kj::Own<kj::PromiseFulfiller<void>> fulfiller_;
  kj::ForkedPromise<void> promise_ = kj::Promise<void>(kj::READY_NOW).fork();
};

}  // namespace fleetmark::coordinator::rpc
