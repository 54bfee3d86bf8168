#include "coordinator/service/work.h"

#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

base::Result<std::optional<model::Assignment>> takeWork(ports::Database& database,
                                                        const Settings& settings,
                                                        const ports::Registration& who) {
  ports::ClaimRequest request;
  request.agent = who.agent;
  request.session = who.session;
  request.leaseTtl = settings.leaseTtl;
  return inUnit(database, ports::Durability::kSynchronous,
                [&request](ports::UnitOfWork& unit) { return unit.queue().claim(request); });
}

base::Result<std::vector<model::RenewAnswer>> renew(ports::Database& database,
                                                    const Settings& settings,
                                                    const ports::Registration& who,
                                                    std::span<const model::LeaseRef> leases) {
  using Answers = std::vector<model::RenewAnswer>;
  return inUnit(database, ports::Durability::kRelaxed,
                [&](ports::UnitOfWork& unit) -> base::Result<Answers> {
                  FM_TRY(unit.agents().heartbeat(who.agent, who.session));
                  if (leases.empty()) return Answers();
                  return unit.queue().renew(who.agent, leases, settings.leaseTtl);
                });
}

}  // namespace fleetmark::coordinator::service
