#pragma once

#include <string>

#include "common/base/result.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// Wakes the listeners of other coordinators on this database.
base::Status announce(ports::Database& database, const std::string& sender);

}  // namespace fleetmark::coordinator::service
