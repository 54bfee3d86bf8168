#include "coordinator/service/announce.h"

#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

base::Status announce(ports::Database& database, const std::string& sender) {
  return inUnit(database, ports::Durability::kRelaxed,
                [&sender](ports::UnitOfWork& unit) { return unit.events().announce(sender); });
}

}  // namespace fleetmark::coordinator::service
