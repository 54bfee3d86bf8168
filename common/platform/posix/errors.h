// errno as a base::Error, so that callers decide by code and people read the system's words.
#pragma once

#include <string>

#include "common/base/result.h"

namespace fleetmark::platform {

// "<what>: <system's text>[; <advice>]" with the code that fits: ENOENT kNotFound, EACCES, EPERM
// and EROFS kDenied, ENOMEM, EAGAIN, EMFILE, ENOSPC and the like kUnavailable, ENOSYS and
// EOPNOTSUPP kUnsupported, the rest kInvalid.
base::Error fromErrno(int error, std::string what, std::string advice = {});

}  // namespace fleetmark::platform
