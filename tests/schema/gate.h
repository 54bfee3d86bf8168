// Compares two sets of Cap'n Proto schemas: may a peer that holds the old one go on talking to a
// peer that holds the new one?
#pragma once

#include <string>
#include <vector>

namespace fleetmark::schema_gate {

// What `capnp compile -o-` wrote: a CodeGeneratorRequest in words of eight bytes.
struct Compiled {
  std::string bytes;
};

// Everything that stands between old and new, one line each; empty: compatible. Stricter than the
// wire: names are fixed too, since a renamed field can't be told from two that changed places.
// Malformed input throws kj::Exception.
std::vector<std::string> breaches(const Compiled& before, const Compiled& after);

// Enums whose first value isn't `unknown`, one line each.
std::vector<std::string> enumsWithoutUnknown(const Compiled& schemas);

}  // namespace fleetmark::schema_gate
