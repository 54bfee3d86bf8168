// Mann-Whitney's test (Wilcoxon's rank sum test), two-sided: are two groups drawn from one
// distribution? It asks nothing of the distribution's shape.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fleetmark::stats {

// Ids of the ways to p. Exact without ties; exact over all permutations of the midranks where
// values repeat; the normal approximation with correction for ties and continuity beyond
// kMostExactWork (rank_distribution.h). Two-sided: twice the smaller tail, at most 1.
inline constexpr std::string_view kExactTest = "mann-whitney-exact/1";
inline constexpr std::string_view kExactTiesTest = "mann-whitney-exact-ties/1";
inline constexpr std::string_view kNormalTest = "mann-whitney-normal/1";

struct RankTest {
  double u = 0;  // pairs in which b is the larger one; equal ones count half
  double p = 1;
  std::string_view method;
};

// Neither group is empty; values must be finite (FM_CHECK).
RankTest mannWhitney(std::span<const double> a, std::span<const double> b);

// The smallest p that groups of this size can give at all: 2 / (n+m choose n), at most 1. 0.1 for
// three beside three.
double smallestP(std::size_t n, std::size_t m);

// P(Z > z) of the standard normal distribution, and the z for which it is `tail` (0 < tail < 1).
double normalTail(double z);
double normalQuantile(double tail);

}  // namespace fleetmark::stats
