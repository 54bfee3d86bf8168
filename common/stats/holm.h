// Several tests in one table: Holm's step-down correction (1979).
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace fleetmark::stats {

inline constexpr std::string_view kHolmMethod = "holm/1";

// Adjusted p values in the order given: where they are compared with alpha, the chance of one or
// more false alarms in the whole table is at most alpha, however the tests depend on each other.
std::vector<double> holm(std::span<const double> p);

}  // namespace fleetmark::stats
