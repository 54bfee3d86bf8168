// Times that coordinator and agents agree on.
#pragma once

#include <chrono>

#include "common/base/units.h"

namespace fleetmark::coordinator::service {

struct Settings {
  base::Nanos leaseTtl = std::chrono::seconds(15);
  base::Nanos heartbeat = std::chrono::seconds(5);      // agents renew at least this often
  base::Nanos onlineWindow = std::chrono::seconds(20);  // without a heartbeat: offline
  std::int32_t maxAttempts = 3;                         // of a step that infrastructure failed
  std::int32_t quarantineAfter = 3;  // fast failures of an agent in a row; 0: never
};

}  // namespace fleetmark::coordinator::service
