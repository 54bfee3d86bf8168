// The migrations that this program carries, in order. Private to this folder and its tests.
#pragma once

#include <string_view>
#include <vector>

namespace fleetmark::coordinator::store {

struct Migration {
  int version;
  std::string_view name;
  std::string_view sql;
};

// Versions are 1, 2, 3, ... without gaps.
const std::vector<Migration>& embeddedMigrations();

}  // namespace fleetmark::coordinator::store
