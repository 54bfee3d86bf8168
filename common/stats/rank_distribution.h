// The distribution of a rank sum when both groups come from one population: what exact p values
// and exact rank intervals are read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fleetmark::stats {

// Exact distributions are used where the smaller group times both together is at most this: 50
// beside 50 values, 5 beside 995. About 20 million additions in the worst case.
inline constexpr std::size_t kMostExactWork = 5000;

// Groups of n and m values are small enough for the exact distribution.
bool exactIsFeasible(std::size_t n, std::size_t m);

// `take` of the `ascending` scores are drawn without replacement, each set being equally likely.
// Element s of the answer is the probability that their sum lies s above the smallest sum
// possible, for s = 0 ... most. Scores may repeat (doubled midranks). 0 < take <= scores.
// The shift algorithm of Streitberg and Roehmel (1986); only additions of positive numbers, so the
// relative error stays near the machine's precision.
std::vector<double> rankSumDistribution(std::span<const std::uint32_t> ascending, std::size_t take,
                                        std::size_t most);

// The same for Mann-Whitney's U of groups of n and m values without ties: element u is P(U = u).
std::vector<double> uDistribution(std::size_t n, std::size_t m, std::size_t most);

// Ways to choose `take` of `all`; inexact above 2^53.
double waysToChoose(std::size_t all, std::size_t take);

}  // namespace fleetmark::stats
