// One run: a fleet, its work, the plan's faults, and the checks.
#pragma once

#include <cstdint>
#include <string>

namespace fleetmark::chaos {

struct RunOptions {
  std::uint64_t seed = 0;
  int faults = 60;
  std::string bin;     // folder of the programs
  std::string folder;  // private and empty
};

enum class Verdict { kHeld, kBroken };

// Prints what it does. Throws HarnessFailure when it could not do it.
Verdict runChaos(const RunOptions& options);

}  // namespace fleetmark::chaos
