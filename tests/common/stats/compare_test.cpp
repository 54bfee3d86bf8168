#include "common/stats/compare.h"

#include <gtest/gtest.h>

#include "common/stats/mann_whitney.h"

namespace fleetmark::stats {
namespace {

constexpr Direction kHigher = Direction::kHigherIsBetter;
const std::vector<double> kBase{100, 100.4, 99.7, 100.1, 99.9};

std::vector<double> times(double factor, std::vector<double> values = kBase) {
  for (double& value : values) value *= factor;
  return values;
}

Judgement judged(const Instances& a, const Instances& b, Direction direction = kHigher,
                 const CompareOptions& options = {}) {
  std::vector<Comparison> table{compare(a, b, options)};
  correctForTable(table);
  return judge(table[0], direction, options);
}

TEST(Verdict, DirectionComesFromTheMetric) {
  EXPECT_EQ(judged({kBase}, {times(1.2)}).verdict, Verdict::kFaster);
  EXPECT_EQ(judged({kBase}, {times(1.2)}, Direction::kLowerIsBetter).verdict, Verdict::kSlower);
  EXPECT_EQ(judged({kBase}, {times(0.8)}).verdict, Verdict::kSlower);
  EXPECT_EQ(judged({kBase}, {times(0.8)}, Direction::kLowerIsBetter).verdict, Verdict::kFaster);
}

TEST(Verdict, SameWhereTheWholeIntervalIsInTheBand) {
  EXPECT_EQ(judged({kBase}, {times(1.002)}).verdict, Verdict::kSame);
  // A difference that is certain and too small to matter.
  EXPECT_EQ(judged({kBase}, {times(1.015)}).verdict, Verdict::kSame);
  CompareOptions narrow;
  narrow.band = 0.001;
  EXPECT_EQ(judged({kBase}, {times(1.015)}, kHigher, narrow).verdict, Verdict::kFaster);
}

TEST(Verdict, ThreeValuesDecideNothing) {
  auto judgement = judged({{1, 2, 3}}, {{100, 200, 300}});
  EXPECT_EQ(judgement.verdict, Verdict::kCannotTell);
  EXPECT_EQ(judgement.doubt, Doubt::kTooFew);
  // Neither do three beside many, and three that are the same are not "the same".
  std::vector<double> many;
  for (int i = 0; i < 200; ++i) many.push_back(500 + i * 0.01);
  EXPECT_EQ(judged({{1, 2, 3}}, {many}).doubt, Doubt::kTooFew);
  EXPECT_EQ(judged({{1, 1, 1}}, {{1, 1, 1}}).doubt, Doubt::kTooFew);
}

// Five beside five have p = 2/252 at best, times 10 rows 0.079.
TEST(Verdict, ALongTableCanBeTooMuchForFewSamples) {
  CompareOptions options;
  std::vector<Comparison> table(10, compare({kBase}, {times(2)}, options));
  correctForTable(table);
  EXPECT_EQ(tested(table), 10U);
  EXPECT_NEAR(*table[0].pHolm, 20.0 / 252, 1e-14);
  EXPECT_EQ(judge(table[0], kHigher, options).doubt, Doubt::kTooFew);
  std::vector<Comparison> shorter(table.begin(), table.begin() + 6);
  correctForTable(shorter);
  EXPECT_EQ(judge(shorter[0], kHigher, options).verdict, Verdict::kFaster);
}

TEST(Verdict, ASmallPMayNotBeEnoughInATable) {
  CompareOptions options;
  // One pair is out of order: p = 4/252 alone, 0.095 in six rows.
  auto one = compare({{1, 2, 3, 4, 5.5}}, {{5, 6, 7, 8, 9}}, options);
  EXPECT_NEAR(*one.p, 4.0 / 252, 1e-14);
  CompareOptions lenient = options;
  lenient.mostVariation = 10;
  std::vector<Comparison> table(6, one);
  correctForTable(table);
  EXPECT_EQ(judge(table[0], kHigher, lenient).doubt, Doubt::kTable);
}

TEST(Verdict, VariationIsAReasonWhereFewSamplesVaryMuch) {
  const std::vector<double> wild{7.12, 7.76, 22.53, 9, 14};
  EXPECT_EQ(judged({wild}, {times(10, wild)}).doubt, Doubt::kVariation);
  // From 20 values on the interval says it.
  std::vector<double> many;
  for (int i = 0; i < 30; ++i) many.push_back(i % 2 == 0 ? 10 + i * 0.1 : 30 + i * 0.1);
  EXPECT_EQ(judged({many}, {times(10, many)}).verdict, Verdict::kFaster);
}

TEST(Verdict, NoDifferenceFoundIsNotTheSame) {
  const std::vector<double> a{90, 95, 100, 105, 110};
  const std::vector<double> b{92, 97, 101, 104, 109};
  EXPECT_EQ(judged({a}, {b}).doubt, Doubt::kWideInterval);
}

TEST(Verdict, ADifferenceThatMayBeSmallerThanTheBandIsNotClaimed) {
  const std::vector<double> a{100, 100.5, 101, 101.5, 102};
  const std::vector<double> b{102.2, 103, 103.5, 104, 106};
  EXPECT_EQ(judged({a}, {b}).doubt, Doubt::kInsideBand);
}

TEST(Verdict, WhatHasNoRatioHasNone) {
  auto zero = compare({{0, 1, 2, 3, 4}}, {kBase}, {});
  EXPECT_FALSE(zero.ratio);
  EXPECT_TRUE(zero.p);
  EXPECT_EQ(judged({{0, 1, 2, 3, 4}}, {kBase}).doubt, Doubt::kNotPositive);
  EXPECT_EQ(judged({}, {kBase}).doubt, Doubt::kNoValue);
  EXPECT_EQ(judged({{}}, {kBase}).doubt, Doubt::kNoValue);
}

TEST(Verdict, OneMachineBesideSeveralDecidesNothing) {
  const Instances three{kBase, times(1.01), times(1.02)};
  EXPECT_EQ(judged({kBase}, three).doubt, Doubt::kOneInstance);
}

TEST(Comparison, CountsMachinesWhereBothSidesHaveSeveral) {
  const Instances a{kBase, times(1.01), times(0.99), times(1.005)};
  Instances b = a;
  for (auto& instance : b) instance = times(1.3, instance);
  auto comparison = compare(a, b, {});
  EXPECT_EQ(comparison.unit, SamplingUnit::kInstance);
  EXPECT_EQ(comparison.a.n, 4U);
  EXPECT_EQ(comparison.a.samples, 20U);
  EXPECT_NEAR(*comparison.ratio, 1.3, 1e-12);
  EXPECT_EQ(comparison.interval->method, kBootstrapInterval);
  EXPECT_NEAR(*comparison.p, 2.0 / 70, 1e-14) << "four machines, not twenty samples";
  EXPECT_EQ(judged(a, b).verdict, Verdict::kFaster);
}

TEST(Comparison, TheTableOfTestsHoldsOnlyWhatMayBeDecided) {
  std::vector<Comparison> table{compare({kBase}, {times(1.1)}, {}),
                                compare({{1, 2, 3}}, {{4, 5, 6}}, {}), compare({}, {kBase}, {})};
  correctForTable(table);
  EXPECT_EQ(tested(table), 1U);
  EXPECT_NEAR(*table[0].pHolm, 2.0 / 252, 1e-14) << "the other rows can't decide anything";
}

}  // namespace
}  // namespace fleetmark::stats
