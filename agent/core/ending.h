// How an attempt is over, and why.
#pragma once

#include <string>
#include <string_view>

#include "agent/core/run_control.h"
#include "common/model/sample.h"

namespace fleetmark::agent::core {

struct Ending {
  model::Outcome outcome = model::Outcome::kMeasured;
  std::string message;
};

// `when`: "while the probe was running".
Ending endingOf(StopReason reason, std::string_view when);

}  // namespace fleetmark::agent::core
