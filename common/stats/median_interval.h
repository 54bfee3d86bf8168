// How well a median is known, from the ranks of the samples alone.
#pragma once

#include <optional>
#include <span>

namespace fleetmark::stats {

struct RankInterval {
  double low = 0, high = 0;
  double coverage = 0;  // probability by which the interval holds the median, at least `confidence`
};

// The narrowest interval [x(k), x(n+1-k)] of order statistics that holds the median of the
// distribution with at least `confidence` (0 to 1): the sign test turned around (Conover, Practical
// Nonparametric Statistics, 3rd edition, section 3.2). Needs independent samples and nothing else.
// Absent where even [min, max] covers less, that is below n = 6 for 0.95. `sorted` is ascending.
// Exact up to n = 10,000, by the normal approximation of the binomial above.
std::optional<RankInterval> medianInterval(std::span<const double> sorted, double confidence);

}  // namespace fleetmark::stats
