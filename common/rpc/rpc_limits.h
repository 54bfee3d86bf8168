#pragma once

#include <capnp/message.h>

#include <cstdint>

namespace fleetmark::rpc {

// What one message of a peer may cost. A message over the limit ends the connection.
struct RpcLimits {
  std::uint64_t messageBytes = std::uint64_t{64} * 1024 * 1024;  // size and traversal
  int nesting = 32;                                              // pointers deep

  capnp::ReaderOptions readerOptions() const {
    capnp::ReaderOptions options;
    options.traversalLimitInWords = messageBytes / sizeof(capnp::word);
    options.nestingLimit = nesting;
    return options;
  }
};

}  // namespace fleetmark::rpc
