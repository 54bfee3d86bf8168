#pragma once

#include <kj/async.h>

#include <mutex>
#include <vector>

#include "common/rpc/client_call.h"
#include "common/rpc/kj_compat.h"

namespace fleetmark::rpc {

// What other threads ask of the client's loop thread.
class ClientInbox {
 public:
  struct Batch {
    std::vector<ClientCall*> calls;
    bool drop = false;
    bool stop = false;
  };

  // Any thread. False: closed, and the call is not taken.
  bool post(ClientCall& call) {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    waiting_.calls.push_back(&call);
    wake();
    return true;
  }
  void postDrop() {
    const std::lock_guard lock(mutex_);
    waiting_.drop = true;
    wake();
  }
  void postStop() {
    const std::lock_guard lock(mutex_);
    waiting_.stop = true;
    wake();
  }

  // Loop thread.
  kj::Promise<void> whenPosted() {
    auto pair = kj::newPromiseAndCrossThreadFulfiller<void>();
    const std::lock_guard lock(mutex_);
    wake_ = kj::mv(pair.fulfiller);
    if (!waiting_.calls.empty() || waiting_.drop || waiting_.stop) wake();
    return kj::mv(pair.promise);
  }
  Batch take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }
  // What is posted from here on is refused; returns what was posted before.
  Batch close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_ = nullptr;
    return std::exchange(waiting_, {});
  }

 private:
  using Fulfiller = kj::Own<kj::CrossThreadPromiseFulfiller<void>>;

  void wake() {
    auto* fulfiller = someOf(wake_);
    if (fulfiller == nullptr) return;  // awake already
    (*fulfiller)->fulfill();
    wake_ = nullptr;
  }

  std::mutex mutex_;
  Batch waiting_;
  bool closed_ = false;
  kj::Maybe<Fulfiller> wake_;
};

}  // namespace fleetmark::rpc
