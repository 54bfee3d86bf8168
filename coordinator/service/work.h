// Work goes out under a lease, and the lease is kept alive.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
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

// An agent that waits for work, with what it said when it registered.
struct Taker {
  ports::Registration who;
  model::Labels labels;
  std::vector<std::string> probes;  // capabilities
};

struct HandedOut {
  std::size_t taker = 0;  // index
  model::Assignment assignment;
};

// At most one step for each, for at most kMostHandedOut of them, in one transaction. Agents whom
// nothing fits that is due cost no statement. Begins at taker `first` and goes round, so that
// those whom a claim refuses don't stand before the others for ever.
inline constexpr std::size_t kMostHandedOut = 64;
base::Result<std::vector<HandedOut>> handOut(ports::Database& database, const Settings& settings,
                                             std::span<const std::shared_ptr<const Taker>> takers,
                                             std::size_t first);

// What an agent is told that gets nothing: that it is draining or in quarantine, or that nothing is
// ready for it.
base::Result<std::string> whyNoWork(ports::Database& database, const Settings& settings,
                                    const ports::Registration& who);

// The heartbeat; an answer for each lease, in order.
base::Result<std::vector<model::RenewAnswer>> renew(ports::Database& database,
                                                    const Settings& settings,
                                                    const ports::Registration& who,
                                                    std::span<const model::LeaseRef> leases);

}  // namespace fleetmark::coordinator::service
