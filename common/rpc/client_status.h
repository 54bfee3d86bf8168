#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "common/base/result.h"

namespace fleetmark::rpc {

// The connection as other threads may see it. Written by the loop thread.
class ClientStatus {
 public:
  void setConnected(std::uint64_t generation) {
    const std::lock_guard lock(mutex_);
    connected_ = true;
    generation_ = generation;
  }
  void setDisconnected(base::Error reason) {
    const std::lock_guard lock(mutex_);
    connected_ = false;
    lastError_ = std::move(reason);
  }

  bool connected() const {
    const std::lock_guard lock(mutex_);
    return connected_;
  }
  std::uint64_t generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
  }
  std::optional<base::Error> lastError() const {
    const std::lock_guard lock(mutex_);
    return lastError_;
  }

 private:
  mutable std::mutex mutex_;
  bool connected_ = false;
  std::uint64_t generation_ = 0;
  std::optional<base::Error> lastError_;
};

}  // namespace fleetmark::rpc
