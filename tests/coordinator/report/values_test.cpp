#include "coordinator/report/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace fleetmark::coordinator::report {
namespace {

using model::Unit;

TEST(FormatValue, HasUnitAndThousands) {
  EXPECT_EQ(formatValue(33120.4, Unit::kIterationsPerSecond), "33,120 it/s");
  EXPECT_EQ(formatValue(487.2 * 1048576, Unit::kBytesPerSecond), "487.2 MiB/s");
  EXPECT_EQ(formatValue(938.4e6, Unit::kBitsPerSecond), "938.4 Mbps");
  EXPECT_EQ(formatValue(21341.4, Unit::kOperationsPerSecond), "21,341 IOPS");
  EXPECT_EQ(formatValue(0.00124, Unit::kSeconds), "1.24 ms");
  EXPECT_EQ(formatValue(4294967295.0, Unit::kCount), "4,294,967,295");
  EXPECT_EQ(formatValue(3, Unit::kCount), "3");
  EXPECT_EQ(formatValue(0.5, Unit::kRatio), "0.5");
}

TEST(FormatValue, ChoosesAScaleForTimesAndSizes) {
  EXPECT_EQ(formatValue(7.76, Unit::kSeconds), "7.76 s");
  EXPECT_EQ(formatValue(173e-6, Unit::kSeconds), "173.0 \xC2\xB5s");
  EXPECT_EQ(formatValue(0, Unit::kSeconds), "0 s");
  EXPECT_EQ(formatValue(1536, Unit::kBytes), "1.50 KiB");
  EXPECT_EQ(formatValue(512.0 * 1048576, Unit::kBytes), "512.0 MiB");
}

TEST(FormatValue, NeverShowsZeroForWhatIsNotZero) {
  EXPECT_EQ(formatValue(0.0004, Unit::kOperationsPerSecond), "0.0004 IOPS");
  EXPECT_EQ(formatValue(1, Unit::kBytesPerSecond), "9.54e-07 MiB/s");
  EXPECT_EQ(formatValue(std::numeric_limits<double>::denorm_min(), Unit::kRatio), "4.94e-324");
}

TEST(FormatValue, RoundsAcrossItsOwnLimits) {
  EXPECT_EQ(formatNumber(999.96), "1,000");
  EXPECT_EQ(formatNumber(99.996), "100.0");
  EXPECT_EQ(formatNumber(0.9996), "1.00");
  EXPECT_EQ(formatNumber(-33120.4), "-33,120");
}

TEST(FormatValue, ShowsADashForWhatIsNoNumber) {
  EXPECT_EQ(formatValue(std::nan(""), Unit::kSeconds), kNoNumber);
  EXPECT_EQ(formatNumber(std::numeric_limits<double>::infinity()), kNoNumber);
}

TEST(FormatValue, SurvivesTheLargestDouble) {
  EXPECT_EQ(formatValue(std::numeric_limits<double>::max(), Unit::kCount), "1.798e+308");
}

TEST(FormatVariation, IsAPercentage) {
  // 7.12, 7.76 and 22.53 s: mean 12.47, population deviation 7.1179.
  EXPECT_EQ(formatVariation(7.1179 / 12.47, 2), "57.08 %");
  EXPECT_EQ(formatVariation(0.004, 1), "0.4 %");
}

TEST(FormatSpan, ReadsAsPeopleSayIt) {
  EXPECT_EQ(formatSpan(std::chrono::seconds(5)), "5 s");
  EXPECT_EQ(formatSpan(std::chrono::milliseconds(250)), "250 ms");
  EXPECT_EQ(formatSpan(std::chrono::milliseconds(1500)), "1.5 s");
  EXPECT_EQ(formatSpan(std::chrono::seconds(74)), "1 min 14 s");
  EXPECT_EQ(formatSpan(std::chrono::milliseconds(59'999)), "1 min");
  EXPECT_EQ(formatSpan(std::chrono::minutes(125)), "2 h 5 min");
  EXPECT_EQ(formatSpan(std::chrono::hours(2)), "2 h");
  EXPECT_EQ(formatSpan(base::Nanos(0)), "0 ns");
}

TEST(ExactNumber, ReadsBackAsTheSameDouble) {
  for (double value : {0.1, 33120.0, 1563.93 * 1048576, 1e-300, 1.7976931348623157e308, -0.0,
                       5e-324, 1.0 / 3, 9007199254740993.0}) {
    EXPECT_EQ(std::strtod(exactNumber(value).c_str(), nullptr), value) << exactNumber(value);
  }
  EXPECT_EQ(exactNumber(33120), "33120");
  EXPECT_EQ(exactNumber(std::nan("")), "");
}

TEST(ExactTime, KeepsNanosecondsAlsoBefore1970) {
  // date -u -d @1796054977 +%FT%T
  EXPECT_EQ(exactTime(base::fromUnixNanos(1'796'054'977'125'000'001)),
            "2026-11-30T16:09:37.125000001Z");
  EXPECT_EQ(exactTime(base::fromUnixNanos(-1)), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(exactTime(base::fromUnixNanos(0)), "1970-01-01T00:00:00.000000000Z");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
