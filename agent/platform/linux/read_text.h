// Small files of /proc and /sys.
#pragma once

#include <optional>
#include <string>

namespace fleetmark::agent::linux_os {

// Absent when it can't be read or is over 1 MiB.
std::optional<std::string> readText(const std::string& path);
// The same without white space around it; empty when it can't be read.
std::string readLine(const std::string& path);

}  // namespace fleetmark::agent::linux_os
