// The walls of docs/architecture.md as a function of one file's path and text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fleetmark::layers {

struct Violation {
  std::string path;
  std::size_t line = 0;
  std::string what;  // the wall that was crossed and what to do

  std::string describe() const { return path + ":" + std::to_string(line) + ": " + what; }
};

// `path` is relative to the root of the repository, with forward slashes. Files outside the source
// folders (agent, common, coordinator, schema, tests) have no walls.
std::vector<Violation> checkFile(std::string_view path, std::string_view text);

}  // namespace fleetmark::layers
