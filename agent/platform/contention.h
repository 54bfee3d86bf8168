// Evidence of what else used the machine. Counters grow for ever; the difference of two readings
// covers the whole time between them, where a look at the load before a run sees none of it.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/result.h"
#include "common/base/units.h"

namespace fleetmark::agent {

// Absent: this system doesn't say.
struct ContentionReading {
  std::optional<base::Nanos> threadCpu;             // CPU time of the calling thread
  std::optional<std::int64_t> voluntarySwitches;    // of the calling thread: it waited
  std::optional<std::int64_t> involuntarySwitches;  // of the calling thread: it was made to wait
  std::optional<base::Nanos> cpuPressure;           // time in which some task waited for a CPU
  std::optional<base::Nanos> steal;  // time the hypervisor took, all CPUs; 0 proves nothing
  std::optional<std::int64_t> throttledPeriods;  // of this process's cgroup
  std::optional<base::Nanos> throttled;          // of this process's cgroup
  std::optional<double> load1;                   // 1-minute load average, not a counter
  std::optional<int> cpu;                        // where the thread is now
};

class ContentionMeter {
 public:
  virtual ~ContentionMeter() = default;
  // Some 100 us: outside timed windows only.
  virtual ContentionReading read() = 0;
  // Under 1 us. kUnsupported where threads have no such clock.
  virtual base::Result<base::Nanos> threadCpuTime() = 0;
};

}  // namespace fleetmark::agent
