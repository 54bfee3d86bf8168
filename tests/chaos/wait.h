// Waiting for a condition, with a limit.
#pragma once

#include <chrono>
#include <functional>

#include "common/platform/process.h"

namespace fleetmark::chaos {

// True once `condition` is; false after `limit`, or when somebody pressed Ctrl-C.
inline bool waitFor(std::chrono::steady_clock::duration limit,
                    const std::function<bool()>& condition) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    if (platform::StopSignal::waitFor(std::chrono::milliseconds(20))) return false;
  }
  return true;
}

}  // namespace fleetmark::chaos
