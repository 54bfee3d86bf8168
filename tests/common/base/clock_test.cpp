#include "common/base/clock.h"

#include <gtest/gtest.h>

namespace fleetmark::base {
namespace {

TEST(FormatWall, IsUtcWithMilliseconds) {
  // date -u -d @1796054977, date -u -d @951782400
  EXPECT_EQ(formatWall(fromUnixNanos(1'796'054'977'125'000'000)), "2026-11-30T16:09:37.125Z");
  EXPECT_EQ(formatWall(fromUnixNanos(951'782'400'000'000'000)), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(formatWall(fromUnixNanos(0)), "1970-01-01T00:00:00.000Z");
}

TEST(FormatWall, RoundsDownAlsoBeforeTheEpoch) {
  EXPECT_EQ(formatWall(fromUnixNanos(999'999)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(formatWall(fromUnixNanos(-1)), "1969-12-31T23:59:59.999Z");
}

TEST(WallTime, GoesToUnixNanosecondsAndBack) {
  for (std::int64_t nanos : {std::int64_t{0}, std::int64_t{-5}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(toUnixNanos(fromUnixNanos(nanos)), nanos);
  }
}

TEST(SystemClock, MonotonicTimeNeverFalls) {
  SystemClock clock;
  MonoTime last = clock.mono();
  for (int i = 0; i < 1000; ++i) {
    MonoTime now = clock.mono();
    ASSERT_LE(last, now);
    last = now;
  }
}

}  // namespace
}  // namespace fleetmark::base
