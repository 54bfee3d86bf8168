// Ranks of differences without making them, beside all differences made and sorted.
#include "common/stats/shift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/base/random.h"
#include "common/stats/holm.h"
#include "common/stats/mann_whitney.h"
#include "common/stats/rank_distribution.h"

namespace fleetmark::stats {
namespace {

enum class Values { kSmooth, kFewDistinct, kHeavyTail };

std::vector<double> draw(base::SeededRandom& random, std::size_t count, Values kind) {
  std::vector<double> out(count);
  for (double& value : out) {
    switch (kind) {
      case Values::kSmooth:
        value = random.unit();
        break;
      case Values::kFewDistinct:
        value = static_cast<double>(random.below(4));
        break;
      case Values::kHeavyTail:
        value = std::pow(random.unit(), -3);
        break;
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(DifferenceRanks, SelectsWhatSortingAllDifferencesFinds) {
  base::SeededRandom random(11);
  DifferenceRanks ranks;
  for (Values kind : {Values::kSmooth, Values::kFewDistinct, Values::kHeavyTail}) {
    for (auto [n, m] : {std::pair<std::size_t, std::size_t>{1, 1},
                        {1, 50},
                        {50, 1},
                        {2, 3},
                        {30, 40},
                        {100, 7},
                        {90, 110}}) {
      auto a = draw(random, n, kind);
      auto b = draw(random, m, kind);
      std::vector<double> all;
      for (double x : a) {
        for (double y : b) all.push_back(y - x);
      }
      std::sort(all.begin(), all.end());
      for (std::size_t rank = 0; rank < all.size(); rank += 1 + all.size() / 40) {
        ASSERT_EQ(ranks.select(a, b, rank), all[rank]) << n << " " << m << " " << rank;
      }
      ASSERT_EQ(ranks.select(a, b, all.size() - 1), all.back());
    }
  }
}

TEST(Shift, RatioTurnsOverWhenTheSidesDo) {
  const std::vector<double> a{10, 11, 12.5, 9.75, 10.25};
  const std::vector<double> b{20, 23, 24, 19, 22, 21.5};
  auto there = ratioOf(a, b, 0.95);
  auto back = ratioOf(b, a, 0.95);
  EXPECT_NEAR(there.estimate * back.estimate, 1, 1e-14);
  EXPECT_NEAR(there.low * back.high, 1, 1e-14);
  EXPECT_NEAR(there.high * back.low, 1, 1e-14);
}

// By hand: differences 9, 19, 8, 18 sorted are 8, 9, 18, 19; the middle ones' mean is 13.5.
TEST(Shift, AnEvenNumberOfDifferencesHasTheMeanOfItsMiddleOnes) {
  auto shift = shiftOf(std::vector<double>{1, 2}, std::vector<double>{10, 20}, 0.95);
  EXPECT_DOUBLE_EQ(shift.estimate, 13.5);
  EXPECT_DOUBLE_EQ(shift.low, 8);
  EXPECT_DOUBLE_EQ(shift.high, 19);
  EXPECT_NEAR(shift.confidence, 2.0 / 3, 1e-15) << "2 of 6 orders lie outside";
}

// Known numbers of partitions: of 4 into at most 2 parts of at most 3 there are 2 (3+1, 2+2).
TEST(RankDistribution, CountsPartitions) {
  auto u = uDistribution(2, 3, 6);
  const std::vector<double> counts{1, 1, 2, 2, 2, 1, 1};
  ASSERT_EQ(u.size(), counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_NEAR(u[i], counts[i] / 10, 1e-15) << i;
}

TEST(MannWhitney, ThreeBesideThreeIsNeverSignificant) {
  auto test = mannWhitney(std::vector<double>{1, 2, 3}, std::vector<double>{1000, 2000, 3000});
  EXPECT_NEAR(test.p, 0.1, 1e-15);
  EXPECT_NEAR(smallestP(3, 3), 0.1, 1e-15);
  EXPECT_NEAR(smallestP(4, 4), 2.0 / 70, 1e-15);
}

// Where the exact distribution gives way to the approximation p must not jump.
TEST(MannWhitney, TheApproximationMeetsTheExactDistribution) {
  base::SeededRandom random(3);
  auto a = draw(random, 50, Values::kSmooth);
  auto b = draw(random, 50, Values::kSmooth);
  for (double& value : b) value += 0.12;
  auto exact = mannWhitney(a, b);
  EXPECT_EQ(exact.method, kExactTest);
  double sd = std::sqrt(50.0 * 50 * 101 / 12);
  double approximate = 2 * normalTail((std::abs(exact.u - 1250) - 0.5) / sd);
  EXPECT_NEAR(approximate / exact.p, 1, 0.05);
  b.push_back(0.5);
  EXPECT_EQ(mannWhitney(a, b).method, kNormalTest);
}

TEST(Holm, OfNothingIsNothing) { EXPECT_TRUE(holm({}).empty()); }

}  // namespace
}  // namespace fleetmark::stats
