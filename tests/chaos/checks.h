// What must hold once every fault is over and all work has ended. Most of it is SQL over the
// tables: a query that gives the rows which break a rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/fleet.h"
#include "tests/chaos/operator.h"

namespace fleetmark::chaos {

struct Rule {
  std::string_view name;
  std::string_view sql;  // rows that break it
};

// In checks_sql.cpp.
const std::vector<Rule>& rules();

struct Broken {
  std::string rule;
  std::vector<std::string> rows;  // for people, not all of them where there are many
};

// With the fleet still running, and idle.
std::vector<Broken> checkAll(Fleet& fleet, const Operator& op);

struct Figures {
  std::string campaigns;
  std::string steps;     // "40 measured, 3 lost"
  std::string attempts;  // by outcome
  std::string samples;
};
Figures countAll(const DatabasePair& databases);

}  // namespace fleetmark::chaos
