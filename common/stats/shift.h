// How far one group lies from another: the Hodges-Lehmann estimate and its rank interval, as a
// difference or, on logarithms, as a ratio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fleetmark::stats {

// The median of all differences b - a (the mean of the two middle ones for an even number). As a
// ratio it is taken of log b - log a and raised again: the median of all ratios b / a, the
// geometric mean of the two middle ones for an even number.
inline constexpr std::string_view kShiftMethod = "hodges-lehmann/1";
inline constexpr std::string_view kRatioMethod = "hodges-lehmann-log-ratio/1";
// From the k-th smallest to the k-th largest difference. k comes from the exact distribution of
// U where that is feasible (rank_distribution.h), else from its normal approximation. Both are
// those without ties: with ties the interval covers at least as often as it says.
inline constexpr std::string_view kExactInterval = "rank-interval-exact/1";
inline constexpr std::string_view kNormalInterval = "rank-interval-normal/1";

struct Shift {
  double estimate = 0;
  double low = 0, high = 0;
  // What the interval reaches: at least what was asked for, less only where the groups are so
  // small that even the whole range covers less (0.9 for three beside three).
  double confidence = 0;
  std::string_view intervalMethod;
};

// `confidence` in (0, 1). Neither group is empty, values are finite (FM_CHECK). O((n + m) log)
// time, O(n + m) memory.
Shift shiftOf(std::span<const double> a, std::span<const double> b, double confidence);
// The same as a ratio of b to a; values must be positive (FM_CHECK).
Shift ratioOf(std::span<const double> a, std::span<const double> b, double confidence);

// Differences b[j] - a[i] of two ascending lists, by their rank, without making them all. Keeps
// its buffers from call to call; one thread at a time.
class DifferenceRanks {
 public:
  // The element with `rank` (from 0) in ascending order of all n * m differences. Johnson and
  // Mizoguchi (1978): each round halves what may still be it by the weighted median of the rows'
  // medians.
  double select(std::span<const double> a, std::span<const double> b, std::uint64_t rank);
  double median(std::span<const double> a, std::span<const double> b);

 private:
  struct Row {
    std::size_t low, high;   // differences of this a that may still be the one
    std::size_t less, upTo;  // of all of them: below the pivot, and not above it
  };
  struct Weighted {
    double value;
    std::uint64_t weight;
  };
  double pivotOf(std::span<const double> a, std::span<const double> b, std::uint64_t active);

  std::vector<Row> rows_;
  std::vector<Weighted> medians_;
  std::vector<double> rest_;
};

}  // namespace fleetmark::stats
