#pragma once

#include <kj/time.h>

#include <algorithm>
#include <chrono>

#include "common/base/units.h"

namespace fleetmark::rpc {

// Limited to what a timer can add to its present without overflow: not negative, at most 10 years.
inline kj::Duration toKj(base::Nanos duration) {
  constexpr base::Nanos kMost = std::chrono::hours(24) * 3650;
  return std::clamp(duration, base::Nanos::zero(), kMost).count() * kj::NANOSECONDS;
}

}  // namespace fleetmark::rpc
