#include "common/stats/rank_distribution.h"

#include <algorithm>
#include <numeric>

#include "common/base/check.h"

namespace fleetmark::stats {

bool exactIsFeasible(std::size_t n, std::size_t m) {
  std::size_t smaller = std::min(n, m);
  if (smaller == 0 || n > kMostExactWork || m > kMostExactWork) return false;
  return smaller * (n + m) <= kMostExactWork;
}

double waysToChoose(std::size_t all, std::size_t take) {
  double ways = 1;
  take = std::min(take, all - take);
  for (std::size_t i = 1; i <= take; ++i) {
    ways = ways * static_cast<double>(all - take + i) / static_cast<double>(i);
  }
  return ways;
}

std::vector<double> rankSumDistribution(std::span<const std::uint32_t> ascending, std::size_t take,
                                        std::size_t most) {
  FM_CHECK(take > 0 && take <= ascending.size());
  FM_CHECK(std::is_sorted(ascending.begin(), ascending.end()));
  // ways[i][s]: choices of i scores among those seen whose sum is s above that of the i smallest.
  // The i-th one chosen is never below ascending[i - 1], so no index is negative.
  std::vector<std::vector<double>> ways(take + 1, std::vector<double>(most + 1, 0.0));
  std::vector<std::size_t> reach(take + 1, 0);  // highest s that may hold something
  ways[0][0] = 1;
  for (std::size_t j = 0; j < ascending.size(); ++j) {
    for (std::size_t i = std::min(j, take - 1) + 1; i-- > 0;) {
      std::size_t step = ascending[j] - ascending[i];
      if (step > most) continue;
      std::size_t count = std::min(reach[i], most - step) + 1;
      const double* from = ways[i].data();
      double* to = ways[i + 1].data() + step;
      for (std::size_t s = 0; s < count; ++s) to[s] += from[s];
      reach[i + 1] = std::max(reach[i + 1], step + count - 1);
    }
  }
  double all = waysToChoose(ascending.size(), take);
  std::vector<double> out = std::move(ways[take]);
  for (double& value : out) value /= all;
  return out;
}

std::vector<double> uDistribution(std::size_t n, std::size_t m, std::size_t most) {
  std::vector<std::uint32_t> ranks(n + m);
  std::iota(ranks.begin(), ranks.end(), 1U);
  return rankSumDistribution(ranks, std::min(n, m), most);
}

}  // namespace fleetmark::stats
