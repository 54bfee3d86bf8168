#include "common/base/units.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fleetmark::base {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(ParseDuration, KnowsEveryUnit) {
  const std::vector<std::pair<std::string, Nanos>> cases{
      {"7ns", Nanos(7)},
      {"12us", microseconds(12)},
      {"250ms", milliseconds(250)},
      {"30s", seconds(30)},
      {"5m", minutes(5)},
      {"2h", hours(2)},
      {"0s", Nanos(0)},
      {"1.5s", milliseconds(1500)},
      {"0.3s", milliseconds(300)},
      {"0.1ms", microseconds(100)},
      {"9999h", hours(9999)},
  };
  for (const auto& [text, expected] : cases) {
    auto parsed = parseDuration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, expected) << text;
  }
}

TEST(ParseDuration, RefusesWhatWouldHaveToBeGuessed) {
  for (std::string text : {"", "30", "s", "-1s", "+1s", "30 s", "30S", "30sec", "1e3s", "0x1s",
                           "1,5s", "1s ", " 1s", "nans", "infs", "1m30s", "10000h", "1d"}) {
    auto parsed = parseDuration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalid) << text;
  }
}

TEST(ParseDuration, SaysWhatIsMissing) {
  EXPECT_EQ(parseDuration("30").error().message,
            "'30' is not a duration: the unit is missing; write for example 30s, 250ms, 5m or 2h");
}

TEST(ParseBytes, KnowsBinaryAndDecimalUnits) {
  const std::vector<std::pair<std::string, std::int64_t>> cases{
      {"512B", 512},
      {"4KiB", 4096},
      {"128MiB", 134217728},
      {"1GiB", 1073741824},
      {"2TiB", 2199023255552},
      {"4kB", 4000},
      {"1MB", 1000000},
      {"1.5GB", 1500000000},
      {"3TB", 3000000000000},
      {"0.5KiB", 512},
      {"0B", 0},
  };
  for (const auto& [text, expected] : cases) {
    auto parsed = parseBytes(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->count, expected) << text;
  }
}

TEST(ParseBytes, RefusesWhatWouldHaveToBeGuessed) {
  for (std::string text : {"", "1024", "1K", "1KB", "1k", "1M", "1mib", "1GIB", "-1B", "1 MiB",
                           "0.5B", "1.0001KiB", "4611686018427387904B", "1EiB"}) {
    auto parsed = parseBytes(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalid) << text;
  }
}

TEST(FormatDuration, IsShortAndExactWhereItCanBe) {
  EXPECT_EQ(formatDuration(Nanos(0)), "0ns");
  EXPECT_EQ(formatDuration(Nanos(999)), "999ns");
  EXPECT_EQ(formatDuration(Nanos(12'500)), "12.5us");
  EXPECT_EQ(formatDuration(milliseconds(250)), "250ms");
  EXPECT_EQ(formatDuration(seconds(30)), "30s");
  EXPECT_EQ(formatDuration(seconds(60)), "1m");
  EXPECT_EQ(formatDuration(seconds(90)), "1m30s");
  EXPECT_EQ(formatDuration(seconds(3600)), "1h");
  EXPECT_EQ(formatDuration(seconds(3601)), "1h1s");
  EXPECT_EQ(formatDuration(hours(25) + minutes(2)), "25h2m");
  EXPECT_EQ(formatDuration(-seconds(5)), "-5s");
}

TEST(FormatDuration, CanBeParsedAgainWhereItHasOneUnit) {
  for (auto duration : {Nanos(7), Nanos(milliseconds(250)), Nanos(seconds(30)), Nanos(minutes(5)),
                        Nanos(hours(2))}) {
    auto parsed = parseDuration(formatDuration(duration));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, duration);
  }
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(formatBytes(Bytes{0}), "0 B");
  EXPECT_EQ(formatBytes(Bytes{1023}), "1023 B");
  EXPECT_EQ(formatBytes(Bytes{1024}), "1 KiB");
  EXPECT_EQ(formatBytes(Bytes{134217728}), "128 MiB");
  EXPECT_EQ(formatBytes(Bytes{1610612736}), "1.5 GiB");
  EXPECT_EQ(formatBytes(Bytes{1300}), "1.27 KiB");
  EXPECT_EQ(formatBytes(Bytes{1024 * kGiB}), "1 TiB");
  EXPECT_EQ(formatBytes(Bytes{2048 * 1024 * kGiB}), "2048 TiB");
}

TEST(FormatThousands, GroupsByThree) {
  EXPECT_EQ(formatThousands(0, 0), "0");
  EXPECT_EQ(formatThousands(999, 0), "999");
  EXPECT_EQ(formatThousands(1000, 0), "1,000");
  EXPECT_EQ(formatThousands(33120, 0), "33,120");
  EXPECT_EQ(formatThousands(1234567.891, 2), "1,234,567.89");
  EXPECT_EQ(formatThousands(-100000, 0), "-100,000");
  EXPECT_EQ(formatThousands(999.96, 1), "1,000.0");
}

}  // namespace
}  // namespace fleetmark::base
