#pragma once

#include <kj/async-io.h>

#include "common/rpc/uv_address.h"
#include "common/rpc/uv_event_port.h"

namespace fleetmark::rpc {

// Resolves the host (in libuv's thread pool) and tries its addresses in turn. Rejected with
// DISCONNECTED when none answers. No time limit of its own: drop the promise.
kj::Promise<kj::Own<kj::AsyncIoStream>> uvConnect(UvEventPort& port, const UvAddress& address);

}  // namespace fleetmark::rpc
