// A libpq connection string, key=value or URI, read by libpq itself. Private to this folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace fleetmark::coordinator::store {

using ConnectionOption = std::pair<std::string, std::string>;

// The same string in key=value form with `overrides` in place of what it said and `defaults` where
// it (and the environment) said nothing. kInvalid: libpq can't read it; the message has no secret.
base::Result<std::string> withOptions(const std::string& connectionString,
                                      const std::vector<ConnectionOption>& overrides,
                                      const std::vector<ConnectionOption>& defaults);

}  // namespace fleetmark::coordinator::store
