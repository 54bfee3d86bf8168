#pragma once

#include <kj/exception.h>

namespace fleetmark::rpc {

// A libuv status (negative) as a KJ exception: DISCONNECTED when the peer or the way to it is gone,
// OVERLOADED when something has run out, else FAILED.
kj::Exception uvException(int status, const char* what);

// Throws when status is negative.
void uvCheck(int status, const char* what);

}  // namespace fleetmark::rpc
