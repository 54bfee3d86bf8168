#include "agent/probes/disk/histogram.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fleetmark::agent::probes::disk {
namespace {

using base::Nanos;

TEST(LatencyHistogram, EmptyHasNoNumbers) {
  LatencyHistogram histogram;
  EXPECT_FALSE(histogram.min());
  EXPECT_FALSE(histogram.percentile(50));
  EXPECT_EQ(histogram.json(), R"({"n":0})");
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 31; ++i) histogram.record(Nanos(i));
  EXPECT_EQ(histogram.percentile(50), Nanos(16));  // ceil(15.5) = 16th of 1..31
  EXPECT_EQ(histogram.percentile(100), Nanos(31));
  EXPECT_EQ(histogram.min(), Nanos(1));
}

TEST(LatencyHistogram, BucketsHoldTheirValueWithinOne32nd) {
  for (std::int64_t value : {32LL, 33LL, 63LL, 64LL, 65LL, 1000LL, 4095LL, 4096LL, 173'000LL,
                             5'000'000'000LL, 9'000'000'000'000'000'000LL}) {
    LatencyHistogram histogram;
    histogram.record(Nanos(value));
    auto bucket = histogram.buckets().at(0);
    EXPECT_LE(bucket.fromNs, value);
    EXPECT_GE(bucket.toNs, value);
    EXPECT_LE(bucket.toNs - bucket.fromNs, value / 32) << value;
    EXPECT_EQ(histogram.max(), Nanos(value));
  }
}

TEST(LatencyHistogram, BucketsTouchWithoutGapOrOverlap) {
  LatencyHistogram histogram;
  for (int i = 0; i < 5000; ++i) histogram.record(Nanos(i));
  std::int64_t next = 0;
  for (const auto& bucket : histogram.buckets()) {
    EXPECT_EQ(bucket.fromNs, next);
    next = bucket.toNs + 1;
  }
}

// 1,000 values 1000..1999 us: nearest rank puts p50 at the 500th and p99 at the 990th.
TEST(LatencyHistogram, PercentilesAreNearestRankWithinABucket) {
  LatencyHistogram histogram;
  for (int i = 0; i < 1000; ++i) histogram.record(Nanos((1000 + i) * 1000));
  EXPECT_NEAR(static_cast<double>(histogram.percentile(50)->count()), 1'499'000, 1'499'000 / 32.0);
  EXPECT_NEAR(static_cast<double>(histogram.percentile(99)->count()), 1'989'000, 1'989'000 / 32.0);
  EXPECT_EQ(histogram.percentile(100), Nanos(1'999'000)) << "never over the maximum";
}

TEST(LatencyHistogram, P99NeedsThreeHundred) {
  LatencyHistogram histogram;
  for (int i = 0; i < 299; ++i) histogram.record(Nanos(5000));
  EXPECT_FALSE(nlohmann::json::parse(histogram.json()).contains("p99_ns"));
  histogram.record(Nanos(5000));
  EXPECT_TRUE(nlohmann::json::parse(histogram.json()).contains("p99_ns"));
}

TEST(LatencyHistogram, ClockThatWentBackCountsAsZero) {
  LatencyHistogram histogram;
  histogram.record(Nanos(-5));
  EXPECT_EQ(histogram.min(), Nanos(0));
}

}  // namespace
}  // namespace fleetmark::agent::probes::disk
