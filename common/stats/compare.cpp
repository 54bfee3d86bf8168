#include "common/stats/compare.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/check.h"
#include "common/stats/holm.h"
#include "common/stats/mann_whitney.h"
#include "common/stats/shift.h"
#include "common/stats/summary.h"

namespace fleetmark::stats {

namespace {

Instances withSamples(const Instances& side) {
  Instances out;
  for (const auto& instance : side) {
    if (!instance.empty()) out.push_back(instance);
  }
  return out;
}

std::vector<double> pooled(const Instances& side) {
  std::vector<double> out;
  for (const auto& instance : side) out.insert(out.end(), instance.begin(), instance.end());
  return out;
}

std::vector<double> medians(const Instances& side) {
  std::vector<double> out;
  for (const auto& instance : side) out.push_back(*summarise(instance).median);
  return out;
}

SideFigures figuresOf(const Instances& side, std::span<const double> values) {
  SideFigures out;
  out.instances = static_cast<std::uint32_t>(side.size());
  for (const auto& instance : side) out.samples += static_cast<std::uint32_t>(instance.size());
  auto summary = summarise(values);
  out.n = summary.n;
  out.median = summary.median;
  if (summary.n > 1) out.cv = summary.cv;
  return out;
}

bool allPositive(const Instances& side) {
  return std::all_of(side.begin(), side.end(), [](const auto& instance) {
    return std::all_of(instance.begin(), instance.end(), [](double value) { return value > 0; });
  });
}

bool mayDecide(const Comparison& comparison) {
  bool oneInstance = (comparison.a.instances == 1) != (comparison.b.instances == 1);
  return comparison.p && comparison.ratio && !oneInstance && comparison.a.n >= kLeastToDecide &&
         comparison.b.n >= kLeastToDecide;
}

bool variesTooMuch(const SideFigures& side, const CompareOptions& options) {
  return side.n < kLeastForAnyVariation && side.cv && *side.cv > options.mostVariation;
}

bool inside(const Interval& interval, double band) {
  return interval.low >= 1 / (1 + band) && interval.high <= 1 + band;
}

bool holdsOne(const Interval& interval) { return interval.low <= 1 && interval.high >= 1; }

}  // namespace

Comparison compare(const Instances& allOfA, const Instances& allOfB,
                   const CompareOptions& options) {
  FM_CHECK(options.band > 0 && options.confidence > 0 && options.confidence < 1);
  Instances a = withSamples(allOfA);
  Instances b = withSamples(allOfB);
  Comparison out;
  if (a.size() > 1 && b.size() > 1) out.unit = SamplingUnit::kInstance;
  bool byInstance = out.unit == SamplingUnit::kInstance;
  auto valuesA = byInstance ? medians(a) : pooled(a);
  auto valuesB = byInstance ? medians(b) : pooled(b);
  out.a = figuresOf(a, valuesA);
  out.b = figuresOf(b, valuesB);
  if (valuesA.empty() || valuesB.empty()) return out;
  auto test = mannWhitney(valuesA, valuesB);
  out.p = test.p;
  out.testMethod = test.method;
  if (!allPositive(a) || !allPositive(b)) return out;
  auto ratio = ratioOf(valuesA, valuesB, options.confidence);
  out.ratio = ratio.estimate;
  Interval byRanks{ratio.low, ratio.high, ratio.confidence, ratio.intervalMethod};
  if (!byInstance) {
    out.interval = byRanks;
    return out;
  }
  out.rankInterval = byRanks;
  auto drawn = bootstrapRatio(a, b, {options.confidence, options.seed, options.replicates});
  out.interval = Interval{drawn.low, drawn.high, options.confidence, kBootstrapInterval};
  return out;
}

void correctForTable(std::span<Comparison> table) {
  std::vector<double> p;
  for (const auto& each : table) {
    if (mayDecide(each)) p.push_back(*each.p);
  }
  auto adjusted = holm(p);
  std::size_t next = 0;
  for (auto& each : table) {
    each.pHolm.reset();
    if (mayDecide(each)) each.pHolm = adjusted[next++];
  }
}

Judgement judge(const Comparison& comparison, Direction direction, const CompareOptions& options) {
  auto doubt = [](Doubt why) { return Judgement{Verdict::kCannotTell, why}; };
  const auto& c = comparison;
  if (c.a.n == 0 || c.b.n == 0) return doubt(Doubt::kNoValue);
  if (!c.ratio || !c.interval) return doubt(Doubt::kNotPositive);
  if ((c.a.instances == 1) != (c.b.instances == 1)) return doubt(Doubt::kOneInstance);
  if (!c.pHolm || c.a.n < kLeastToDecide || c.b.n < kLeastToDecide) return doubt(Doubt::kTooFew);
  if (variesTooMuch(c.a, options) || variesTooMuch(c.b, options)) return doubt(Doubt::kVariation);
  std::vector<Interval> intervals{*c.interval};
  if (c.rankInterval) intervals.push_back(*c.rankInterval);
  bool wide = false;  // some interval holds 1
  bool inBand = true;
  for (const auto& interval : intervals) {
    if (interval.confidence < options.confidence) return doubt(Doubt::kTooFew);
    wide = wide || holdsOne(interval);
    inBand = inBand && inside(interval, options.band);
  }
  if (inBand) return {Verdict::kSame, Doubt::kNone};
  double alpha = 1 - options.confidence;
  if (*c.pHolm <= alpha && !wide) {
    bool higher = *c.ratio > 1;
    double size = higher ? *c.ratio : 1 / *c.ratio;
    if (size <= 1 + options.band) return doubt(Doubt::kInsideBand);
    bool better = higher == (direction == Direction::kHigherIsBetter);
    return {better ? Verdict::kFaster : Verdict::kSlower, Doubt::kNone};
  }
  if (*c.pHolm <= alpha || *c.p > alpha) return doubt(Doubt::kWideInterval);
  // With sizes like these no figures at all would have been enough in a table of this length.
  return doubt(*c.p <= smallestP(c.a.n, c.b.n) ? Doubt::kTooFew : Doubt::kTable);
}

std::size_t tested(std::span<const Comparison> table) {
  return static_cast<std::size_t>(std::count_if(
      table.begin(), table.end(), [](const auto& each) { return each.pHolm.has_value(); }));
}

}  // namespace fleetmark::stats
