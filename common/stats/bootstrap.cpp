#include "common/stats/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/stats/shift.h"
#include "common/stats/summary.h"

namespace fleetmark::stats {

namespace {

// The samples of one instance in ascending order: the median of a draw from them is found by
// counting how often each was drawn.
class Resampled {
 public:
  explicit Resampled(const std::vector<double>& samples) : sorted_(samples) {
    FM_CHECK(!sorted_.empty());
    std::sort(sorted_.begin(), sorted_.end());
    FM_CHECK(sorted_.front() > 0 && std::isfinite(sorted_.back()));
    drawn_.resize(sorted_.size());
  }

  double drawLogMedian(base::SeededRandom& random) {
    std::size_t n = sorted_.size();
    std::fill(drawn_.begin(), drawn_.end(), 0U);
    for (std::size_t i = 0; i < n; ++i) ++drawn_[static_cast<std::size_t>(random.below(n))];
    double upper = atRank(n / 2);
    if (n % 2 == 1) return std::log(upper);
    double lower = atRank(n / 2 - 1);
    return std::log(lower + (upper - lower) / 2);
  }

 private:
  double atRank(std::size_t rank) const {
    std::size_t seen = 0;
    std::size_t i = 0;
    while ((seen += drawn_[i]) <= rank) ++i;
    return sorted_[i];
  }

  std::vector<double> sorted_;
  std::vector<std::uint32_t> drawn_;
};

class ResampledSide {
 public:
  explicit ResampledSide(const Instances& side) : instances_(side.begin(), side.end()) {
    FM_CHECK(!instances_.empty());
    medians_.resize(instances_.size());
  }

  const std::vector<double>& draw(base::SeededRandom& random) {
    for (double& value : medians_) {
      auto which = static_cast<std::size_t>(random.below(instances_.size()));
      value = instances_[which].drawLogMedian(random);
    }
    std::sort(medians_.begin(), medians_.end());
    return medians_;
  }

 private:
  std::vector<Resampled> instances_;
  std::vector<double> medians_;
};

}  // namespace

BootstrapInterval bootstrapRatio(const Instances& a, const Instances& b,
                                 const BootstrapOptions& options) {
  FM_CHECK(options.replicates > 0 && options.confidence > 0 && options.confidence < 1);
  ResampledSide sideA(a);
  ResampledSide sideB(b);
  base::SeededRandom random(options.seed);
  DifferenceRanks ranks;
  std::vector<double> ratios(options.replicates);
  for (double& ratio : ratios) {
    const auto& mediansA = sideA.draw(random);
    const auto& mediansB = sideB.draw(random);
    ratio = ranks.median(mediansA, mediansB);
  }
  std::sort(ratios.begin(), ratios.end());
  double tail = (1 - options.confidence) / 2 * 100;
  return {std::exp(percentileNearestRank(ratios, tail)),
          std::exp(percentileNearestRank(ratios, 100 - tail))};
}

}  // namespace fleetmark::stats
