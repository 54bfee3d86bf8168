// Two groups beside each other: what the figures say, and a verdict that claims no more than they
// do. docs/comparing.md has the reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/stats/bootstrap.h"

namespace fleetmark::stats {

// What one value of the test stands for. kInstance where both sides have several instances: then a
// value is an instance's median, and the interval speaks of machines. kSample otherwise: of the
// samples of the machines at hand, and of no other machine.
enum class SamplingUnit { kSample, kInstance };

// Below this many values a side nothing is decided: three beside three can't be significant.
inline constexpr std::uint32_t kLeastToDecide = 4;
// The limit on variation holds below this many values a side, where one value moves much. With
// more of them the interval says what the variation costs.
inline constexpr std::uint32_t kLeastForAnyVariation = 20;
inline constexpr std::string_view kVerdictMethod = "verdict/1";

struct CompareOptions {
  double band = 0.03;          // ratios from 1 / (1 + band) to 1 + band are the same for practice
  double confidence = 0.95;    // of intervals; 1 - confidence is Holm's alpha for the table
  double mostVariation = 0.3;  // population CV
  std::uint64_t seed = 1;      // of the bootstrap
  std::uint32_t replicates = 2000;
};

// The median and variation of the values that the test compares.
struct SideFigures {
  std::uint32_t instances = 0;
  std::uint32_t samples = 0;
  std::uint32_t n = 0;  // samples or instances, as the unit says
  std::optional<double> median, cv;
};

struct Interval {
  double low = 0, high = 0;
  double confidence = 0;  // reached; less than asked for where n is very small
  std::string_view method;
};

// Whatever can't be computed is absent.
struct Comparison {
  SamplingUnit unit = SamplingUnit::kSample;
  SideFigures a, b;
  std::optional<double> ratio;           // b / a, kRatioMethod
  std::optional<Interval> interval;      // kSample: by ranks; kInstance: by bootstrap
  std::optional<Interval> rankInterval;  // kInstance alone: by ranks over instances, as a check
  std::optional<double> p;               // unadjusted
  std::string_view testMethod;
  std::optional<double> pHolm;  // over the table; absent where nothing may be decided by it
};

// B seen from A. kFaster is the better one, whatever the metric counts.
enum class Verdict { kFaster, kSlower, kSame, kCannotTell };

enum class Doubt {
  kNone,
  kNoValue,       // a side has no valid sample
  kNotPositive,   // there is a value of zero or less, so no ratio
  kTooFew,        // below kLeastToDecide, or so few that the table's smallest p is too large
  kOneInstance,   // one side has one instance and the other several
  kVariation,     // over mostVariation
  kTable,         // a small p by itself, but not among the table's many
  kInsideBand,    // they differ, but perhaps by less than the band
  kWideInterval,  // no difference was found, and none can be excluded
};

enum class Direction { kHigherIsBetter, kLowerIsBetter };

struct Judgement {
  Verdict verdict = Verdict::kCannotTell;
  Doubt doubt = Doubt::kNone;
};

// Figures alone. Instances without samples are left out; values must be finite (FM_CHECK).
Comparison compare(const Instances& a, const Instances& b, const CompareOptions& options);

// Fills pHolm of a whole table. To be called once, before judge.
void correctForTable(std::span<Comparison> table);

// Faster or slower: pHolm is at most 1 - confidence, no interval holds 1, and the ratio lies
// outside the band. Same: every interval lies inside the band. Otherwise it can't be told.
Judgement judge(const Comparison& comparison, Direction direction, const CompareOptions& options);

// How many comparisons of the table have a pHolm.
std::size_t tested(std::span<const Comparison> table);

}  // namespace fleetmark::stats
