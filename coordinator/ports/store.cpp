#include "coordinator/ports/store.h"

#include <utility>

namespace fleetmark::coordinator::ports {

base::Result<std::optional<model::Assignment>> QueueStore::claim(const ClaimRequest& request) {
  FM_TRY_ASSIGN(auto each, claimEach({&request, 1}));
  return std::move(each.at(0));
}

}  // namespace fleetmark::coordinator::ports
