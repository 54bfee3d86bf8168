// An agent stands ready to begin its member of a group of steps, see domain/group.h.
#pragma once

#include "common/base/result.h"
#include "common/model/work.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// kLost also for a lease that is unknown or another agent's. Asking again is harmless.
base::Result<model::ArriveAnswer> arrive(ports::Database& database, const ports::Registration& who,
                                         const model::LeaseRef& lease);

// The group of this leased step has gathered for too long: all its members are released. False:
// somebody was faster.
base::Result<bool> releaseLateGroup(ports::Database& database, base::StepId step,
                                    std::int32_t epoch);

}  // namespace fleetmark::coordinator::service
