#include "agent/platform/linux/activity_linux.h"

#include <unistd.h>

#include <algorithm>

#include "agent/platform/linux/proc_text.h"
#include "agent/platform/linux/read_text.h"

namespace fleetmark::agent::linux_os {

namespace {

std::optional<base::Nanos> pressureOf(const char* resource) {
  auto text = readText(std::string("/proc/pressure/") + resource);
  return text ? parsePressureSome(*text) : std::nullopt;
}

}  // namespace

ActivityReading LinuxActivity::read() {
  ActivityReading out;
  if (auto text = readText("/proc/stat")) {
    auto stat = parseCpuActivity(*text, ::sysconf(_SC_CLK_TCK));
    out.cpus = stat.cpus;
    out.busy = stat.busy;
    // The thread that reads it runs.
    if (stat.runnable) out.runnable = std::max<std::int64_t>(*stat.runnable - 1, 0);
  }
  out.cpuPressure = pressureOf("cpu");
  out.ioPressure = pressureOf("io");
  out.memoryPressure = pressureOf("memory");
  if (auto text = readText("/proc/loadavg")) out.load1 = parseLoad1(*text);
  return out;
}

}  // namespace fleetmark::agent::linux_os
