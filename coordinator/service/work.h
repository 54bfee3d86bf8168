// Work goes out under a lease, and the lease is kept alive.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/model/work.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::service {

// Empty: nothing for this agent now.
base::Result<std::optional<model::Assignment>> takeWork(ports::Database& database,
                                                        const Settings& settings,
                                                        const ports::Registration& who);

// The heartbeat; an answer for each lease, in order.
base::Result<std::vector<model::RenewAnswer>> renew(ports::Database& database,
                                                    const Settings& settings,
                                                    const ports::Registration& who,
                                                    std::span<const model::LeaseRef> leases);

}  // namespace fleetmark::coordinator::service
