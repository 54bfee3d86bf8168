// A beside A: how often a difference is claimed where there is none. Fixed seeds; the limits are
// the promised rate and three standard errors of the simulation.
#include <gtest/gtest.h>

#include <cmath>

#include "common/base/random.h"
#include "common/stats/compare.h"
#include "common/stats/mann_whitney.h"
#include "tests/common/stats/draws.h"

namespace fleetmark::stats {
namespace {

using testing::normal;

enum class Kind { kLogNormal, kHeavyTail, kRounded };

double draw(base::SeededRandom& random, Kind kind) {
  switch (kind) {
    case Kind::kLogNormal:
      return 1000 * std::exp(0.1 * normal(random));
    case Kind::kHeavyTail:
      return 1000 * (1 + 0.02 / (1 - random.unit()));
    case Kind::kRounded:
      return std::round(20 * std::exp(0.1 * normal(random)));
  }
  return 0;
}

std::vector<double> drawSamples(base::SeededRandom& random, std::size_t count, Kind kind) {
  std::vector<double> out(count);
  for (double& value : out) value = draw(random, kind);
  return out;
}

double limitOf(double rate, int rounds) { return rate + 3 * std::sqrt(rate * (1 - rate) / rounds); }

bool claims(const Judgement& judgement) {
  return judgement.verdict == Verdict::kFaster || judgement.verdict == Verdict::kSlower;
}

TEST(AgainstItself, OneRowIsSeldomDifferent) {
  constexpr int kRounds = 1500;
  CompareOptions options;
  options.band = 0.0001;  // as good as none: the test alone decides
  base::SeededRandom random(2026);
  for (Kind kind : {Kind::kLogNormal, Kind::kHeavyTail, Kind::kRounded}) {
    for (std::size_t n : {std::size_t{5}, std::size_t{12}}) {
      int claimed = 0;
      for (int round = 0; round < kRounds; ++round) {
        std::vector<Comparison> table{
            compare({drawSamples(random, n, kind)}, {drawSamples(random, n, kind)}, options)};
        correctForTable(table);
        if (claims(judge(table[0], Direction::kHigherIsBetter, options))) ++claimed;
      }
      EXPECT_LE(claimed, kRounds * limitOf(0.05, kRounds)) << n << " " << static_cast<int>(kind);
      EXPECT_GT(claimed, 0) << "a test that never speaks proves nothing";
    }
  }
}

TEST(AgainstItself, AWholeTableIsSeldomWrongAnywhere) {
  constexpr int kRounds = 400;
  constexpr std::size_t kRows = 8;
  CompareOptions options;
  options.band = 0.0001;
  base::SeededRandom random(4);
  int wrong = 0;
  int wrongWithoutHolm = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Comparison> table;
    bool anySmall = false;
    for (std::size_t row = 0; row < kRows; ++row) {
      table.push_back(compare({drawSamples(random, 10, Kind::kLogNormal)},
                              {drawSamples(random, 10, Kind::kLogNormal)}, options));
      anySmall = anySmall || *table.back().p <= 0.05;
    }
    correctForTable(table);
    bool anyClaim = false;
    for (const auto& each : table) {
      anyClaim = anyClaim || claims(judge(each, Direction::kHigherIsBetter, options));
    }
    wrong += anyClaim ? 1 : 0;
    wrongWithoutHolm += anySmall ? 1 : 0;
  }
  EXPECT_LE(wrong, kRounds * limitOf(0.05, kRounds));
  EXPECT_GT(wrongWithoutHolm, kRounds / 5) << "1 - 0.95^8 is a third";
}

// Machines differ by 10 %, samples on one by 1 %: samples taken for machines would claim a
// difference nearly always.
TEST(AgainstItself, MachinesAreTheUnitWhereThereAreSeveral) {
  constexpr int kRounds = 200;
  CompareOptions options;
  options.band = 0.0001;
  options.replicates = 99;
  base::SeededRandom random(8);
  int claimed = 0;
  int pooledSmall = 0;
  auto side = [&random] {
    Instances out(5);
    for (auto& instance : out) {
      double own = 0.1 * normal(random);
      for (int i = 0; i < 20; ++i) instance.push_back(std::exp(own + 0.01 * normal(random)));
    }
    return out;
  };
  for (int round = 0; round < kRounds; ++round) {
    auto a = side();
    auto b = side();
    std::vector<Comparison> table{compare(a, b, options)};
    EXPECT_EQ(table[0].unit, SamplingUnit::kInstance);
    correctForTable(table);
    if (claims(judge(table[0], Direction::kHigherIsBetter, options))) ++claimed;
    std::vector<double> allA;
    std::vector<double> allB;
    for (const auto& each : a) allA.insert(allA.end(), each.begin(), each.end());
    for (const auto& each : b) allB.insert(allB.end(), each.begin(), each.end());
    if (mannWhitney(allA, allB).p <= 0.05) ++pooledSmall;
  }
  EXPECT_LE(claimed, kRounds * limitOf(0.05, kRounds));
  EXPECT_GT(pooledSmall, kRounds / 3);
}

// True shift of 10 %, deviation 2 %, 8 samples a side: found nearly always, and never the wrong
// way.
TEST(AgainstAnother, AClearDifferenceIsFound) {
  constexpr int kRounds = 300;
  CompareOptions options;
  base::SeededRandom random(6);
  int faster = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 8; ++i) {
      a.push_back(std::exp(0.02 * normal(random)));
      b.push_back(1.1 * std::exp(0.02 * normal(random)));
    }
    std::vector<Comparison> table{compare({a}, {b}, options)};
    correctForTable(table);
    auto verdict = judge(table[0], Direction::kHigherIsBetter, options).verdict;
    EXPECT_NE(verdict, Verdict::kSlower);
    if (verdict == Verdict::kFaster) ++faster;
  }
  EXPECT_GT(faster, kRounds * 95 / 100);
}

}  // namespace
}  // namespace fleetmark::stats
