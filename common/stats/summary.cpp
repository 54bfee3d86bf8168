#include "common/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/check.h"

namespace fleetmark::stats {

double percentileNearestRank(std::span<const double> sorted, double percent) {
  FM_CHECK(!sorted.empty() && percent > 0 && percent <= 100);
  auto n = static_cast<double>(sorted.size());
  // The small step back keeps ceil() from rounding up when p/100*n is whole but not exact.
  auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * n - 1e-9));
  rank = std::clamp<std::size_t>(rank, 1, sorted.size());
  return sorted[rank - 1];
}

double median(std::span<const double> sorted) {
  FM_CHECK(!sorted.empty());
  std::size_t n = sorted.size();
  if (n % 2 == 1) return sorted[n / 2];
  return sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
}

Summary summarise(std::span<const double> values) {
  Summary out;
  out.n = static_cast<std::uint32_t>(values.size());
  if (values.empty()) return out;
  std::vector<double> sorted(values.begin(), values.end());
  for (double value : sorted) FM_CHECK(std::isfinite(value));
  std::sort(sorted.begin(), sorted.end());
  double n = static_cast<double>(sorted.size());
  double sum = 0;
  for (double value : sorted) sum += value;
  double mean = sum / n;
  double squares = 0;
  for (double value : sorted) squares += (value - mean) * (value - mean);
  out.min = sorted.front();
  out.max = sorted.back();
  out.mean = mean;
  out.stddev = std::sqrt(squares / n);
  if (mean != 0) out.cv = *out.stddev / std::abs(mean);
  out.median = median(sorted);
  out.p50 = percentileNearestRank(sorted, 50);
  out.p90 = percentileNearestRank(sorted, 90);
  if (out.n >= kLeastForP95) out.p95 = percentileNearestRank(sorted, 95);
  if (out.n >= kLeastForP99) out.p99 = percentileNearestRank(sorted, 99);
  return out;
}

}  // namespace fleetmark::stats
