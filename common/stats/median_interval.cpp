#include "common/stats/median_interval.h"

#include <cmath>
#include <cstddef>

namespace fleetmark::stats {

namespace {

constexpr std::size_t kMostExact = 10'000;

// P(X <= k) of a binomial with n trials and p = 1/2.
double halfBinomialUpTo(std::size_t k, std::size_t n) {
  auto trials = static_cast<double>(n);
  if (n > kMostExact) {
    double z = (static_cast<double>(k) + 0.5 - trials / 2) / (std::sqrt(trials) / 2);
    return std::erfc(-z / std::sqrt(2.0)) / 2;
  }
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    auto at = static_cast<double>(i);
    sum += std::exp(std::lgamma(trials + 1) - std::lgamma(at + 1) - std::lgamma(trials - at + 1) -
                    trials * std::log(2.0));
  }
  return sum;
}

}  // namespace

std::optional<RankInterval> medianInterval(std::span<const double> sorted, double confidence) {
  std::size_t n = sorted.size();
  if (n < 2) return std::nullopt;
  // [x(k+1), x(n-k)] misses the median with twice the probability of at most k values below it.
  auto missed = [&](std::size_t k) { return 2 * halfBinomialUpTo(k, n); };
  double most = 1 - confidence;
  if (missed(0) > most) return std::nullopt;
  std::size_t good = 0;
  std::size_t bad = n / 2;
  while (bad - good > 1) {
    std::size_t middle = good + (bad - good) / 2;
    (missed(middle) <= most ? good : bad) = middle;
  }
  return RankInterval{sorted[good], sorted[n - 1 - good], 1 - missed(good)};
}

}  // namespace fleetmark::stats
