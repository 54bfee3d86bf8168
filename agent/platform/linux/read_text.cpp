#include "agent/platform/linux/read_text.h"

#include "agent/platform/linux/proc_text.h"
#include "common/platform/files.h"

namespace fleetmark::agent::linux_os {

std::optional<std::string> readText(const std::string& path) {
  auto text = platform::readFile(path, 1 << 20);
  if (!text.has_value()) return std::nullopt;
  return std::move(text).value();
}

std::string readLine(const std::string& path) {
  auto text = readText(path);
  return text ? trimmed(*text) : std::string();
}

}  // namespace fleetmark::agent::linux_os
