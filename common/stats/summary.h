// Summaries of one metric of one attempt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fleetmark::stats {

// Percentiles by nearest rank: the smallest value with at least p % of the values at or below it
// (rank = ceil(p/100 * n)). The median alone is the mean of the two middle values for even n.
// Variation is the POPULATION coefficient of variation, sqrt(mean((x - mean)^2)) / mean.
inline constexpr std::string_view kSummaryMethod = "nearest-rank/1";
inline constexpr std::uint32_t kLeastForP95 = 20;
inline constexpr std::uint32_t kLeastForP99 = 300;

struct Summary {
  std::uint32_t n = 0;
  // Absent for n = 0; cv is absent as well where the mean is 0.
  std::optional<double> min, max, mean, stddev, cv, median, p50, p90, p95, p99;
};

// Values must be finite (FM_CHECK). p95 is absent below n = 20 and p99 below n = 300.
Summary summarise(std::span<const double> values);
// 0 < percent <= 100, values not empty.
double percentileNearestRank(std::span<const double> sorted, double percent);
double median(std::span<const double> sorted);

}  // namespace fleetmark::stats
