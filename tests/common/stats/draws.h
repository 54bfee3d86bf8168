// Draws for simulations.
#pragma once

#include <cmath>
#include <numbers>

#include "common/base/random.h"

namespace fleetmark::stats::testing {

// Standard normal (Box and Muller, one of the pair).
inline double normal(base::SeededRandom& random) {
  double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

}  // namespace fleetmark::stats::testing
