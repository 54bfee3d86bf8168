#include "common/base/clock.h"

#include <cstdio>
#include <ctime>

namespace fleetmark::base {

MonoTime SystemClock::mono() const {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now());
}

WallTime SystemClock::wall() const {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

std::string formatWall(WallTime time) {
  namespace chrono = std::chrono;
  auto days = chrono::floor<chrono::days>(time);
  chrono::year_month_day date{chrono::time_point_cast<chrono::days>(days)};
  chrono::hh_mm_ss clock{chrono::floor<chrono::milliseconds>(time - days)};
  char buffer[64];
  std::snprintf(
      buffer, sizeof buffer, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return buffer;
}

std::int64_t toUnixNanos(WallTime time) { return time.time_since_epoch().count(); }

WallTime fromUnixNanos(std::int64_t nanos) { return WallTime(std::chrono::nanoseconds(nanos)); }

}  // namespace fleetmark::base
