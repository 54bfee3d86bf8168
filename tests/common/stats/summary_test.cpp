#include "common/stats/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fleetmark::stats {
namespace {

// Expected values, unless a comment says otherwise:
//   python3 -c "import numpy as np; a=np.array([...]); print(a.mean(), a.std(),
//   a.std()/abs(a.mean()),
//     np.median(a), np.percentile(a, [50,90,95,99], method='inverted_cdf'))"
// numpy 1.24: std() is the population's, 'inverted_cdf' is the nearest rank.

TEST(Summarise, VariationIsThePopulationsCoefficient) {
  // Published with these three values as 57.08 %.
  auto summary = summarise(std::vector<double>{7.12, 7.76, 22.53});
  EXPECT_EQ(summary.n, 3u);
  EXPECT_NEAR(*summary.cv, 0.5708, 0.00005);
  EXPECT_NEAR(*summary.cv, 0.570833279342124, 1e-14);
  EXPECT_NEAR(*summary.mean, 12.47, 1e-12);
  EXPECT_NEAR(*summary.stddev, 7.118290993396285, 1e-13);
  EXPECT_DOUBLE_EQ(*summary.median, 7.76);
  EXPECT_DOUBLE_EQ(*summary.min, 7.12);
  EXPECT_DOUBLE_EQ(*summary.max, 22.53);
}

TEST(Summarise, DoesNotDependOnTheOrder) {
  auto summary = summarise(std::vector<double>{33120.5, 33098.25, 33140.0, 32990.75, 33115.125});
  EXPECT_DOUBLE_EQ(*summary.median, 33115.125);
  EXPECT_NEAR(*summary.mean, 33092.925, 1e-9);
  EXPECT_NEAR(*summary.cv, 0.001595402031451338, 1e-14);
  EXPECT_DOUBLE_EQ(*summary.p90, 33140.0);
}

TEST(Summarise, NegativeValuesHaveAPositiveVariation) {
  auto summary = summarise(std::vector<double>{-3, -1, -2.5, -4});
  EXPECT_NEAR(*summary.cv, 0.4123930494211613, 1e-14);
  EXPECT_DOUBLE_EQ(*summary.median, -2.75);
  EXPECT_DOUBLE_EQ(*summary.p50, -3.0);
}

std::vector<double> series(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) values.push_back((i * 7919) % 1009 / 10.0);
  return values;
}

TEST(Summarise, ThreeHundredValuesHaveEveryPercentile) {
  auto summary = summarise(series(300));
  EXPECT_NEAR(*summary.mean, 50.67433333333333, 1e-11);
  EXPECT_NEAR(*summary.stddev, 29.0587538369345, 1e-11);
  EXPECT_NEAR(*summary.median, 51.1, 1e-11);
  EXPECT_DOUBLE_EQ(*summary.p50, 50.9);
  EXPECT_DOUBLE_EQ(*summary.p90, 90.6);
  EXPECT_DOUBLE_EQ(*summary.p95, 95.6);
  EXPECT_DOUBLE_EQ(*summary.p99, 99.7);
  EXPECT_FALSE(summarise(series(299)).p99);
}

TEST(Summarise, TwentyValuesHaveA95thPercentile) {
  auto summary = summarise(series(20));
  EXPECT_NEAR(*summary.mean, 51.24, 1e-12);
  EXPECT_DOUBLE_EQ(*summary.p95, 94.7);
  EXPECT_FALSE(summary.p99);
  EXPECT_FALSE(summarise(series(19)).p95);
}

TEST(Summarise, OneValueHasNoVariation) {
  auto summary = summarise(std::vector<double>{4.5});
  EXPECT_EQ(summary.n, 1u);
  EXPECT_EQ(summary.cv, 0.0);
  EXPECT_EQ(summary.median, 4.5);
}

TEST(Summarise, NothingHasNoFiguresRatherThanZeros) {
  auto summary = summarise({});
  EXPECT_EQ(summary.n, 0u);
  EXPECT_FALSE(summary.min || summary.max || summary.mean || summary.stddev || summary.cv ||
               summary.median || summary.p50 || summary.p90 || summary.p95 || summary.p99);
}

TEST(Summarise, AMeanOfZeroHasNoVariation) {
  auto summary = summarise(std::vector<double>{-1, 1});
  EXPECT_EQ(summary.mean, 0.0);
  EXPECT_EQ(summary.stddev, 1.0);
  EXPECT_FALSE(summary.cv);
}

TEST(PercentileNearestRank, IsTheSmallestValueWithEnoughAtOrBelow) {
  // By hand: ranks ceil(0.05 x 5) = 1, ceil(0.3 x 5) = 2, ceil(0.4 x 5) = 2, ceil(0.5 x 5) = 3.
  const std::vector<double> five{15, 20, 35, 40, 50};
  EXPECT_EQ(percentileNearestRank(five, 5), 15);
  EXPECT_EQ(percentileNearestRank(five, 20), 15);
  EXPECT_EQ(percentileNearestRank(five, 20.001), 20);
  EXPECT_EQ(percentileNearestRank(five, 30), 20);
  EXPECT_EQ(percentileNearestRank(five, 40), 20);
  EXPECT_EQ(percentileNearestRank(five, 50), 35);
  EXPECT_EQ(percentileNearestRank(five, 100), 50);
}

TEST(PercentileNearestRank, WholeRanksAreNotRoundedUp) {
  // 0.07 x 100 is 7.000000000000001 in binary; the rank is 7 all the same.
  std::vector<double> hundred;
  for (int i = 1; i <= 100; ++i) hundred.push_back(i);
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(percentileNearestRank(hundred, percent), percent);
  }
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwo) {
  EXPECT_EQ(median(std::vector<double>{1, 2, 9}), 2);
  EXPECT_EQ(median(std::vector<double>{1, 2, 4, 9}), 3);
  double huge = 1.7e308;
  EXPECT_EQ(median(std::vector<double>{huge, huge}), huge);
}

}  // namespace
}  // namespace fleetmark::stats
