#include "agent/platform/linux/clocks_linux.h"

#include <time.h>

namespace fleetmark::agent::linux_os {

namespace {

constexpr int kTries = 4;

std::optional<base::Nanos> timeOf(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return std::nullopt;
  return base::Nanos(static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec);
}

}  // namespace

// The readings of the try that was interrupted least are taken for those of one moment.
ClockReading LinuxClocks::read() {
  base::SystemClock clock;
  ClockReading best;
  base::Nanos shortest = base::Nanos::max();
  for (int i = 0; i < kTries; ++i) {
    ClockReading one;
    one.mono = clock.mono();
    one.wall = clock.wall();
    one.boot = timeOf(CLOCK_BOOTTIME);
    base::Nanos took = clock.mono() - one.mono;
    if (took < shortest) {
      shortest = took;
      best = one;
    }
  }
  return best;
}

}  // namespace fleetmark::agent::linux_os
