// What runs on this machine, whoever started it. Counters grow for ever; the difference of two
// readings covers the time between them.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/units.h"

namespace fleetmark::agent {

// Absent: this system doesn't say.
struct ActivityReading {
  std::optional<int> cpus;                 // that the tasks below share
  std::optional<std::int64_t> runnable;    // tasks that run or want to at this moment, without the
                                           // calling thread
  std::optional<base::Nanos> busy;         // counter: CPU time of all tasks on all CPUs
  std::optional<base::Nanos> cpuPressure;  // counter: time in which some task waited for a CPU
  std::optional<base::Nanos> ioPressure;   // counter: ... for I/O
  std::optional<base::Nanos> memoryPressure;  // counter: ... for memory
  std::optional<double> load1;                // 1-minute load average
};

class HostActivity {
 public:
  virtual ~HostActivity() = default;
  // Some 100 us. Any thread, one at a time.
  virtual ActivityReading read() = 0;
};

}  // namespace fleetmark::agent
