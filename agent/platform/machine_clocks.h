// The machine's clocks side by side: where they disagree, the machine was suspended or somebody
// set its clock.
#pragma once

#include <optional>

#include "common/base/clock.h"
#include "common/base/units.h"

namespace fleetmark::agent {

// All of one moment.
struct ClockReading {
  base::MonoTime mono;
  base::WallTime wall;
  // Like `mono`, but it goes on while the machine is suspended. Absent: the system has none.
  std::optional<base::Nanos> boot;
};

class MachineClocks {
 public:
  virtual ~MachineClocks() = default;
  // Under 1 us. Any thread.
  virtual ClockReading read() = 0;
};

}  // namespace fleetmark::agent
