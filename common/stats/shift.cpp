#include "common/stats/shift.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "common/stats/mann_whitney.h"
#include "common/stats/rank_distribution.h"

namespace fleetmark::stats {

namespace {

struct IntervalRank {
  std::uint64_t k = 1;  // from 1
  double confidence = 0;
  std::string_view method;
};

IntervalRank exactRank(std::size_t n, std::size_t m, double confidence) {
  double tail = (1 - confidence) / 2;
  auto probabilities = uDistribution(n, m, n * m / 2);
  IntervalRank out{1, 0, kExactInterval};
  double below = 0;  // P(U < u)
  std::size_t u = 0;
  while (u + 1 < probabilities.size() && below + probabilities[u] < tail) {
    below += probabilities[u];
    ++u;
  }
  if (u == 0) below = probabilities[0];  // the whole range is as far as it goes
  out.k = std::max<std::uint64_t>(u, 1);
  out.confidence = std::max(0.0, 1 - 2 * below);
  return out;
}

IntervalRank normalRank(double n, double m, double confidence) {
  double z = normalQuantile((1 - confidence) / 2);
  double k = std::floor(n * m / 2 - z * std::sqrt(n * m * (n + m + 1) / 12) + 0.5);
  return {k < 1 ? 1 : static_cast<std::uint64_t>(k), confidence, kNormalInterval};
}

std::vector<double> ascending(std::span<const double> values) {
  std::vector<double> out(values.begin(), values.end());
  for (double value : out) FM_CHECK(std::isfinite(value));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> out;
  out.reserve(values.size());
  for (double value : values) {
    FM_CHECK(value > 0);
    out.push_back(std::log(value));
  }
  return out;
}

}  // namespace

double DifferenceRanks::pivotOf(std::span<const double> a, std::span<const double> b,
                                std::uint64_t active) {
  medians_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.low >= row.high) continue;
    medians_.push_back({b[row.low + (row.high - row.low) / 2] - a[i], row.high - row.low});
  }
  std::sort(medians_.begin(), medians_.end(),
            [](const Weighted& x, const Weighted& y) { return x.value < y.value; });
  std::uint64_t seen = 0;
  for (const Weighted& each : medians_) {
    seen += each.weight;
    if (2 * seen >= active) return each.value;
  }
  FM_CHECK(false && "weights add up to less than the whole");
  return 0;
}

double DifferenceRanks::select(std::span<const double> a, std::span<const double> b,
                               std::uint64_t rank) {
  FM_CHECK(rank < std::uint64_t{a.size()} * b.size());
  const std::uint64_t fewEnough = 4 * (a.size() + b.size());
  rows_.assign(a.size(), Row{0, b.size(), 0, 0});
  for (;;) {
    std::uint64_t active = 0;
    std::uint64_t before = 0;
    for (const Row& row : rows_) {
      active += row.high > row.low ? row.high - row.low : 0;
      before += row.low;
    }
    if (active <= fewEnough) {
      rest_.clear();
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        for (std::size_t j = rows_[i].low; j < rows_[i].high; ++j) rest_.push_back(b[j] - a[i]);
      }
      auto place = rest_.begin() + static_cast<std::ptrdiff_t>(rank - before);
      std::nth_element(rest_.begin(), place, rest_.end());
      return *place;
    }
    double pivot = pivotOf(a, b, active);
    // Both counts grow with i, since a ascends: two marks that only go forward.
    std::size_t less = 0;
    std::size_t upTo = 0;
    std::uint64_t allLess = 0;
    std::uint64_t allUpTo = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      while (less < b.size() && b[less] - a[i] < pivot) ++less;
      while (upTo < b.size() && b[upTo] - a[i] <= pivot) ++upTo;
      rows_[i].less = less;
      rows_[i].upTo = upTo;
      allLess += less;
      allUpTo += upTo;
    }
    if (rank >= allLess && rank < allUpTo) return pivot;
    for (Row& row : rows_) {
      if (rank < allLess) {
        row.high = std::min(row.high, row.less);
      } else {
        row.low = std::max(row.low, row.upTo);
      }
    }
  }
}

double DifferenceRanks::median(std::span<const double> a, std::span<const double> b) {
  std::uint64_t all = std::uint64_t{a.size()} * b.size();
  double upper = select(a, b, all / 2);
  if (all % 2 == 1) return upper;
  double lower = select(a, b, all / 2 - 1);
  return lower + (upper - lower) / 2;
}

Shift shiftOf(std::span<const double> a, std::span<const double> b, double confidence) {
  FM_CHECK(!a.empty() && !b.empty() && confidence > 0 && confidence < 1);
  auto sortedA = ascending(a);
  auto sortedB = ascending(b);
  auto rank =
      exactIsFeasible(a.size(), b.size())
          ? exactRank(a.size(), b.size(), confidence)
          : normalRank(static_cast<double>(a.size()), static_cast<double>(b.size()), confidence);
  std::uint64_t all = std::uint64_t{a.size()} * b.size();
  DifferenceRanks ranks;
  Shift out;
  out.estimate = ranks.median(sortedA, sortedB);
  out.low = ranks.select(sortedA, sortedB, rank.k - 1);
  out.high = ranks.select(sortedA, sortedB, all - rank.k);
  out.confidence = rank.confidence;
  out.intervalMethod = rank.method;
  return out;
}

Shift ratioOf(std::span<const double> a, std::span<const double> b, double confidence) {
  Shift out = shiftOf(logarithms(a), logarithms(b), confidence);
  out.estimate = std::exp(out.estimate);
  out.low = std::exp(out.low);
  out.high = std::exp(out.high);
  return out;
}

}  // namespace fleetmark::stats
