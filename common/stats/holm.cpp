#include "common/stats/holm.h"

#include <algorithm>
#include <numeric>

namespace fleetmark::stats {

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return p[x] < p[y]; });
  std::vector<double> out(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    double adjusted = static_cast<double>(p.size() - i) * p[order[i]];
    largest = std::max(largest, std::min(1.0, adjusted));
    out[order[i]] = largest;
  }
  return out;
}

}  // namespace fleetmark::stats
