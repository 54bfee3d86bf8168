// How a coordinator tells a peer that TLS let in, but that may not come in, why: it is revoked or
// unknown (kDenied, kInvalid), or the coordinator can't find out now (kUnavailable, kOverloaded).
//
// It sends one RPC abort message and reads nothing, so that no RPC byte of such a peer is parsed.
// The peer's RPC layer hands the text to the first call.
#pragma once

#include <kj/async-io.h>
#include <kj/timer.h>

#include <optional>
#include <string_view>

#include "common/base/result.h"

namespace fleetmark::rpc {

// Sends the refusal and closes as closeGently() does.
kj::Promise<void> sendRefusal(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer,
                              const base::Error& error);

// Ends our side and throws away what still comes, a second and 1 MiB at most: a socket that is
// closed with unread bytes resets, and the peer would lose our last words.
kj::Promise<void> closeGently(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer);

// The error when an exception's text is that of a refusal.
std::optional<base::Error> parseRefusal(std::string_view exceptionText);

}  // namespace fleetmark::rpc
