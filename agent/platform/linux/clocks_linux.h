#pragma once

#include "agent/platform/machine_clocks.h"

namespace fleetmark::agent::linux_os {

class LinuxClocks final : public MachineClocks {
 public:
  ClockReading read() override;
};

}  // namespace fleetmark::agent::linux_os
