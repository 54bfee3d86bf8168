// Wakes everybody who waits for something to have changed. A wake is a hint: whoever is woken looks
// again, and looks from time to time without one.
#pragma once

#include <kj/async.h>

namespace fleetmark::coordinator::rpc {

class ChangeSignal {
 public:
  // `announced`: raised with this one, except for what was heard of another coordinator.
  explicit ChangeSignal(ChangeSignal* announced = nullptr) : announced_(announced) { renew(); }
  KJ_DISALLOW_COPY(ChangeSignal);

  kj::Promise<void> wait() { return promise_.addBranch(); }
  void raise() {
    raiseHeard();
    if (announced_ != nullptr) announced_->raise();
  }
  void raiseHeard() {
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

  ChangeSignal* announced_;
  kj::Own<kj::PromiseFulfiller<void>> fulfiller_;
  kj::ForkedPromise<void> promise_ = kj::Promise<void>(kj::READY_NOW).fork();
};

}  // namespace fleetmark::coordinator::rpc
