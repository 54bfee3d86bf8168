#pragma once

#include <uv.h>

#include "common/base/result.h"
#include "common/rpc/uv_address.h"

namespace fleetmark::rpc {

// Numeric addresses of both ends of a TCP socket. kUnavailable: not bound or not connected.
base::Result<UvAddress> socketName(const uv_tcp_t& handle);
base::Result<UvAddress> peerName(const uv_tcp_t& handle);
// kUnsupported: neither IPv4 nor IPv6.
base::Result<UvAddress> toAddress(const sockaddr& name);

// No delay for small messages, and keep-alive so that the system finds a peer that vanished.
void tuneSocket(uv_tcp_t& handle);

}  // namespace fleetmark::rpc
