// An interval for the ratio of two groups of machines: five samples on one machine are not five
// machines, so machines are drawn first and samples within them second.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fleetmark::stats {

// Percentile interval (nearest rank) over replicates. In each, as many instances as a side has are
// drawn with replacement, of each drawn one as many samples as it has, with replacement; each
// gives its median, and the medians of both sides their Hodges-Lehmann ratio. Draws come from
// base::SeededRandom in a fixed order: same input and seed, same interval.
inline constexpr std::string_view kBootstrapInterval = "bootstrap-instances-samples/1";

struct BootstrapOptions {
  double confidence = 0.95;
  std::uint64_t seed = 1;
  std::uint32_t replicates = 2000;  // at least 1
};

struct BootstrapInterval {
  double low = 0, high = 0;
};

// A list of samples for each instance of a side; none is empty and values are positive
// (FM_CHECK).
using Instances = std::vector<std::vector<double>>;
BootstrapInterval bootstrapRatio(const Instances& a, const Instances& b,
                                 const BootstrapOptions& options);

}  // namespace fleetmark::stats
