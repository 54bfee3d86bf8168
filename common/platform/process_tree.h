// Every process that comes from this one, also those that have left its groups and sessions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"

namespace fleetmark::platform {

struct TreeProcess {
  std::int64_t pid = 0;
  std::string name;
  bool operator==(const TreeProcess&) const = default;
};

// From now on a process that comes from this one becomes its child when its own parent ends (on
// Linux: a child subreaper). Without that such a one can't be told from strangers. kUnsupported
// where the system has nothing like it. Not inherited by children.
base::Status adoptOrphans();
bool adoptsOrphans();

// Zombies don't count.
std::vector<TreeProcess> descendants();

struct TreeEnd {
  std::vector<TreeProcess> killed;
  std::vector<TreeProcess> left;  // alive after the limit: a system call holds them
};
// SIGKILL to all that come from this process, again and again until none is left or `limit` is
// over. Reaps them: call it when no Process object of this program is alive.
TreeEnd endDescendants(base::Nanos limit);

// The same, then SIGKILL to this process's group if it leads it, else an exit with `code`.
[[noreturn]] void endWithDescendants(int code);

}  // namespace fleetmark::platform
