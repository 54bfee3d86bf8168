#pragma once

#include <kj/async.h>
#include <kj/function.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "common/base/result.h"
#include "common/base/units.h"
#include "schema/coordinator.capnp.h"

namespace fleetmark::rpc {

// One blocking call: on the stack of the thread that waits, borrowed by the loop thread until
// finish(), after which that thread touches it no more.
class ClientCall {
 public:
  using Body = kj::Function<kj::Promise<void>(schema::Coordinator::Client)>;

  ClientCall(Body& body, base::Nanos limit) : body_(body), limit_(limit) {}
  ClientCall(const ClientCall&) = delete;
  ClientCall& operator=(const ClientCall&) = delete;

  // Loop thread.
  kj::Promise<void> begin(schema::Coordinator::Client coordinator) {
    return body_(kj::mv(coordinator));
  }
  base::Nanos limit() const { return limit_; }
  void finish(base::Status status) {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(status);
    done_.notify_one();  // under the lock: once it is free, the object may be gone
  }

  // Calling thread.
  base::Status wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return outcome_.has_value(); });
    return *outcome_;
  }

 private:
  Body& body_;
  const base::Nanos limit_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<base::Status> outcome_;
};

}  // namespace fleetmark::rpc
