#include "common/stats/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "common/base/check.h"
#include "common/stats/rank_distribution.h"

namespace fleetmark::stats {

namespace {

// Both groups in one order.
struct Pooled {
  std::vector<std::uint32_t> scores;  // doubled midranks, ascending
  std::uint64_t sumA = 0;             // of a's scores
  bool ties = false;
  double tieTerm = 0;  // sum of t^3 - t over groups of t equal values
};

Pooled pool(std::span<const double> a, std::span<const double> b) {
  struct Value {
    double value;
    bool ofA;
  };
  std::vector<Value> all;
  all.reserve(a.size() + b.size());
  for (double value : a) all.push_back({value, true});
  for (double value : b) all.push_back({value, false});
  for (const Value& each : all) FM_CHECK(std::isfinite(each.value));
  std::sort(all.begin(), all.end(), [](auto& x, auto& y) { return x.value < y.value; });
  Pooled out;
  out.scores.reserve(all.size());
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last + 1 < all.size() && all[last + 1].value == all[first].value) ++last;
    // Ranks count from 1: (first + 1 + last + 1) / 2 is the midrank.
    std::uint64_t score = first + last + 2;
    for (std::size_t i = first; i <= last; ++i) {
      out.scores.push_back(static_cast<std::uint32_t>(score));
      if (all[i].ofA) out.sumA += score;
    }
    auto t = static_cast<double>(last - first + 1);
    out.tieTerm += t * t * t - t;
    out.ties = out.ties || last > first;
    first = last + 1;
  }
  return out;
}

// Twice the smaller tail of the sum of `take` scores at `sum`.
double exactP(std::vector<std::uint32_t> scores, std::size_t take, std::uint64_t sum) {
  auto total = std::accumulate(scores.begin(), scores.end(), std::uint64_t{0});
  // The tail in question is brought to the lower end, where it is summed without cancellation.
  if (sum * scores.size() > total * take) {
    std::uint32_t mirror = scores.front() + scores.back();
    for (auto& score : scores) score = mirror - score;
    std::reverse(scores.begin(), scores.end());
    sum = std::uint64_t{mirror} * take - sum;
  }
  auto end = scores.begin() + static_cast<std::ptrdiff_t>(take);
  std::uint64_t above = sum - std::accumulate(scores.begin(), end, std::uint64_t{0});
  auto probabilities = rankSumDistribution(scores, take, static_cast<std::size_t>(above));
  double below = std::accumulate(probabilities.begin(), probabilities.end() - 1, 0.0);
  double lower = below + probabilities.back();
  return std::min(1.0, 2 * std::min(lower, 1 - below));
}

double normalP(const Pooled& pooled, double u, double n, double m) {
  double all = n + m;
  double variance = n * m / 12 * (all + 1 - pooled.tieTerm / (all * (all - 1)));
  if (!(variance > 0)) return 1;  // every value is the same
  double distance = std::abs(u - n * m / 2) - 0.5;
  return std::min(1.0, 2 * normalTail(distance / std::sqrt(variance)));
}

}  // namespace

double normalTail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

double normalQuantile(double tail) {
  FM_CHECK(tail > 0 && tail < 1);
  double low = -40;
  double high = 40;
  for (int i = 0; i < 200 && low < high; ++i) {
    double middle = low + (high - low) / 2;
    (normalTail(middle) > tail ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

RankTest mannWhitney(std::span<const double> a, std::span<const double> b) {
  FM_CHECK(!a.empty() && !b.empty());
  Pooled pooled = pool(a, b);
  auto n = static_cast<double>(a.size());
  auto m = static_cast<double>(b.size());
  RankTest out;
  // Pairs in which a is the larger one are its rank sum less the smallest one it could have.
  out.u = n * m - (static_cast<double>(pooled.sumA) / 2 - n * (n + 1) / 2);
  if (!exactIsFeasible(a.size(), b.size())) {
    out.p = normalP(pooled, out.u, n, m);
    out.method = kNormalTest;
    return out;
  }
  auto total = std::accumulate(pooled.scores.begin(), pooled.scores.end(), std::uint64_t{0});
  std::uint64_t sum = a.size() <= b.size() ? pooled.sumA : total - pooled.sumA;
  if (!pooled.ties) {
    for (auto& score : pooled.scores) score /= 2;
    sum /= 2;
  }
  out.method = pooled.ties ? kExactTiesTest : kExactTest;
  out.p = exactP(std::move(pooled.scores), std::min(a.size(), b.size()), sum);
  return out;
}

double smallestP(std::size_t n, std::size_t m) { return std::min(1.0, 2 / waysToChoose(n + m, n)); }

}  // namespace fleetmark::stats
