#include "coordinator/store/unit_of_work.h"

namespace fleetmark::coordinator::store {

base::Status PostgresUnitOfWork::begin(ports::Durability durability) {
  return session_.guard([this, durability]() -> base::Status {
    // Also the first word with the server: a session that it ended shows here.
    session_.work().exec(durability == ports::Durability::kRelaxed
                             ? "SET LOCAL synchronous_commit = off"
                             : "SET LOCAL synchronous_commit = on");
    return {};
  });
}

}  // namespace fleetmark::coordinator::store
