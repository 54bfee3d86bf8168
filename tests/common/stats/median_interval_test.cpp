#include "common/stats/median_interval.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace fleetmark::stats {
namespace {

// The ranks themselves as values: 1, 2, ..., n.
std::optional<RankInterval> ofRanks(std::size_t n, double confidence = 0.95) {
  std::vector<double> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 1.0);
  return medianInterval(ranks, confidence);
}

TEST(MedianInterval, NeedsSixValuesFor95Percent) {
  EXPECT_FALSE(ofRanks(0));
  EXPECT_FALSE(ofRanks(1));
  EXPECT_FALSE(ofRanks(5)) << "1 - 2/32 is 93.75 %";
  auto six = ofRanks(6);
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
  EXPECT_DOUBLE_EQ(six->coverage, 1 - 2.0 / 64);
}

// Sums of binomial coefficients: (1 + 10)/1024 and (1 + 20 + 190 + 1140 + 4845 + 15504)/2^20.
TEST(MedianInterval, HasTheRanksOfTheBinomialTable) {
  auto ten = ofRanks(10);
  ASSERT_TRUE(ten);
  EXPECT_EQ(ten->low, 2);
  EXPECT_EQ(ten->high, 9);
  EXPECT_NEAR(ten->coverage, 1 - 22.0 / 1024, 1e-12);
  auto twenty = ofRanks(20);
  ASSERT_TRUE(twenty);
  EXPECT_EQ(twenty->low, 6);
  EXPECT_EQ(twenty->high, 15);
  EXPECT_NEAR(twenty->coverage, 1 - 2 * 21'700.0 / 1'048'576, 1e-12);
}

// R 4.2: qbinom(0.025, n, 0.5) is the rank of the lower end, for n where the next rank would miss.
TEST(MedianInterval, AgreesWithRForLargerSamples) {
  auto hundred = ofRanks(100);
  ASSERT_TRUE(hundred);
  EXPECT_EQ(hundred->low, 40);
  EXPECT_EQ(hundred->high, 61);
  EXPECT_NEAR(hundred->coverage, 0.9647998, 1e-7);
}

TEST(MedianInterval, StaysWithinTheValuesForManyThousands) {
  auto many = ofRanks(100'001);
  ASSERT_TRUE(many);
  // Half of n less 1.96 times half its root.
  EXPECT_NEAR(many->low, 50'000.5 - 1.959964 * 158.1147, 2);
  EXPECT_NEAR(many->high, 50'001.5 + 1.959964 * 158.1147, 2);
}

}  // namespace
}  // namespace fleetmark::stats
