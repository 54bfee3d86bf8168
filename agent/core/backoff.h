// How long to wait before the next attempt: doubling from `initial` to `most`, each wait drawn
// evenly from the upper half, so that a fleet doesn't return in step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/random.h"
#include "common/base/units.h"

namespace fleetmark::agent::core {

// One owner.
class Backoff {
 public:
  Backoff(base::Nanos initial, base::Nanos most, std::uint64_t seed)
      : initial_(initial), most_(std::max(initial, most)), ceiling_(initial), random_(seed) {}

  base::Nanos next() {
    base::Nanos ceiling = ceiling_;
    ceiling_ = std::min(most_, ceiling_ * 2);
    return ceiling / 2 +
           base::Nanos(static_cast<std::int64_t>(
               random_.unit() * static_cast<double>((ceiling - ceiling / 2).count())));
  }
  void reset() { ceiling_ = initial_; }

 private:
  base::Nanos initial_;
  base::Nanos most_;
  base::Nanos ceiling_;
  base::SeededRandom random_;
};

}  // namespace fleetmark::agent::core
