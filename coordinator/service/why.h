// Why the steps of a job don't run.
#pragma once

#include <string>

#include "common/base/result.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::service {

// `job`: its id, or "step " and the id of one of its steps. Steps that run or have ended have no
// constraints. kInvalid, kNotFound.
base::Result<ports::JobReasons> why(ports::Database& database, const Settings& settings,
                                    const std::string& job);

}  // namespace fleetmark::coordinator::service
