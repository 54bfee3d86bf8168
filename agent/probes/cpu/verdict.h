// The verdict on one cpu sample.
#pragma once

#include <cstdint>

#include "common/model/sample.h"

namespace fleetmark::agent::probes::cpu {

// Less than this share of a CPU and the thread was kept from running.
inline constexpr double kLeastUtilisation = 0.98;

struct Evidence {
  double utilisation = 0;   // CPU time of the thread / wall time
  bool pinInForce = false;  // read back before and after
  std::int64_t iterations = 0;
  std::int64_t wrong = 0;  // iterations whose check value differed
};

// Sets verdict and reasons. The gravest finding is the verdict; the value is never touched.
void judge(model::Sample& sample, const Evidence& evidence);

}  // namespace fleetmark::agent::probes::cpu
