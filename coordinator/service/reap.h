// Leases that ran out, groups that never came together, jobs and campaigns over their time limits,
// and campaigns whose end was missed. Any coordinator may do this at any
// time; each step is guarded by its state and epoch.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

struct Reaped {
  std::uint32_t leases = 0;
  std::uint32_t groups = 0;
  std::uint32_t campaigns = 0;
};

base::Result<Reaped> reap(ports::Database& database);

}  // namespace fleetmark::coordinator::service
