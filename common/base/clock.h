// The only place that tells the time. Monotonic time for durations and deadlines, wall time for
// dates; tests pass a ManualClock (tests/support).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace fleetmark::base {

using MonoTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonoTime mono() const = 0;  // never goes back, may stop while the machine sleeps
  virtual WallTime wall() const = 0;  // UTC, may jump
};

// Safe on any thread.
class SystemClock final : public Clock {
 public:
  MonoTime mono() const override;
  WallTime wall() const override;
};

// 2026-11-30T16:09:37.125Z (UTC, milliseconds).
std::string formatWall(WallTime time);
std::int64_t toUnixNanos(WallTime time);
WallTime fromUnixNanos(std::int64_t nanos);

}  // namespace fleetmark::base
