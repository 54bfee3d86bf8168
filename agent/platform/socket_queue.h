// What of a TCP connection's sent bytes has reached the other end's system.
#pragma once

#include <cstdint>
#include <optional>

namespace fleetmark::agent {

// Bytes handed to the system that the peer hasn't acknowledged, sent or not. `socket` is an open
// one of this process. nullopt: the system can't say. Any thread.
std::optional<std::int64_t> unacknowledgedBytes(int socket);

}  // namespace fleetmark::agent
