// What each worker thread of the bridge owns.
#pragma once

#include <memory>

#include "common/rpc/worker_bridge.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::rpc {

// Owned by one worker thread.
struct WorkerContext {
  std::unique_ptr<ports::Database> database;
};
using Bridge = fleetmark::rpc::WorkerBridge<WorkerContext>;

}  // namespace fleetmark::coordinator::rpc
