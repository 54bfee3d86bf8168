#pragma once

#include "agent/platform/host_activity.h"

namespace fleetmark::agent::linux_os {

class LinuxActivity final : public HostActivity {
 public:
  ActivityReading read() override;
};

}  // namespace fleetmark::agent::linux_os
