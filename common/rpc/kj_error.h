#pragma once

#include <kj/exception.h>

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fleetmark::rpc {

// A KJ exception as an Error: DISCONNECTED is kUnavailable, OVERLOADED kOverloaded, UNIMPLEMENTED
// kUnsupported and FAILED kInternal. `what` begins the message ("call to the coordinator").
base::Error toError(const kj::Exception& exception, std::string_view what);

// The exception's own words on one line, at most 300 characters, fit for a log.
std::string describe(const kj::Exception& exception);

}  // namespace fleetmark::rpc
