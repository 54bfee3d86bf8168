// A clock that stands still until a test moves it. Safe on any thread.
#pragma once

#include <mutex>

#include "common/base/clock.h"
#include "common/base/units.h"

namespace fleetmark::tests {

class ManualClock final : public base::Clock {
 public:
  // 2026-11-30T16:00:00Z; the monotonic clock begins at 1,000 s.
  ManualClock()
      : mono_(std::chrono::seconds(1000)), wall_(base::fromUnixNanos(1'796'054'400'000'000'000)) {}

  base::MonoTime mono() const override {
    std::lock_guard lock(mutex_);
    return mono_;
  }
  base::WallTime wall() const override {
    std::lock_guard lock(mutex_);
    return wall_;
  }
  void advance(base::Nanos by) {
    std::lock_guard lock(mutex_);
    mono_ += by;
    wall_ += by;
  }
  void setWall(base::WallTime wall) {
    std::lock_guard lock(mutex_);
    wall_ = wall;
  }

 private:
  mutable std::mutex mutex_;
  base::MonoTime mono_;
  base::WallTime wall_;
};

}  // namespace fleetmark::tests
