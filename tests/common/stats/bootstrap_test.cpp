#include "common/stats/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "common/base/random.h"
#include "tests/common/stats/draws.h"
#include "tests/common/stats/oracle_table.h"

namespace fleetmark::stats {
namespace {

using testing::normal;

Instances machines(base::SeededRandom& random, std::size_t count, std::size_t samples,
                   double between, double within) {
  Instances out(count);
  for (auto& instance : out) {
    double own = between * normal(random);
    for (std::size_t i = 0; i < samples; ++i) {
      instance.push_back(std::exp(own + within * normal(random)));
    }
  }
  return out;
}

TEST(Bootstrap, TheSameSeedGivesTheSameInterval) {
  base::SeededRandom random(5);
  auto a = machines(random, 6, 5, 0.1, 0.02);
  auto b = machines(random, 6, 5, 0.1, 0.02);
  auto first = bootstrapRatio(a, b, {0.95, 42, 500});
  auto again = bootstrapRatio(a, b, {0.95, 42, 500});
  auto other = bootstrapRatio(a, b, {0.95, 43, 500});
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_TRUE(first.low != other.low || first.high != other.high);
}

TEST(Bootstrap, OfConstantMachinesIsTheirRatio) {
  const Instances a{{10, 10}, {10, 10, 10}};
  const Instances b{{25}, {25, 25}};
  auto interval = bootstrapRatio(a, b, {0.95, 1, 100});
  EXPECT_NEAR(interval.low, 2.5, 1e-14);
  EXPECT_NEAR(interval.high, 2.5, 1e-14);
}

// The spread between machines has to be in the interval, however many samples each one gives.
TEST(Bootstrap, ManySamplesDontReplaceMachines) {
  base::SeededRandom random(9);
  auto a = machines(random, 5, 500, 0.1, 0.001);
  auto b = machines(random, 5, 500, 0.1, 0.001);
  auto interval = bootstrapRatio(a, b, {0.95, 1, 400});
  EXPECT_GT(std::log(interval.high / interval.low), 0.05);
}

// oracle.py simulates the same with NumPy, its own code and its own draws, 400 rounds a setting.
// Two such shares differ by 4 standard errors (0.06) once in some thousand seeds.
TEST(Bootstrap, CoversAsOftenAsAnIndependentSimulation) {
  constexpr int kRounds = 400;
  std::size_t settings = 0;
  for (const auto& [name, values] : testing::expectedBy("python.tsv")) {
    std::istringstream words(name);
    std::string word;
    std::size_t countA = 0, countB = 0, samples = 0;
    double between = 0, within = 0;
    words >> word >> countA >> countB >> samples >> between >> within;
    if (word != "coverage") continue;
    ++settings;
    base::SeededRandom random(77);
    int held = 0;
    for (int round = 0; round < kRounds; ++round) {
      auto a = machines(random, countA, samples, between, within);
      auto b = machines(random, countB, samples, between, within);
      auto interval = bootstrapRatio(a, b, {0.95, random.next(), 199});
      if (interval.low <= 1 && interval.high >= 1) ++held;
    }
    double share = static_cast<double>(held) / kRounds;
    EXPECT_NEAR(share, values.at("coverage"), 0.06) << name;
  }
  EXPECT_EQ(settings, 5U);
}

}  // namespace
}  // namespace fleetmark::stats
