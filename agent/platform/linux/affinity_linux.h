#pragma once

#include "agent/platform/cpu_affinity.h"

namespace fleetmark::agent::linux_os {

class LinuxAffinity final : public CpuAffinity {
 public:
  base::Result<std::vector<int>> allowed() override;
  base::Status pin(int cpu) override;
  base::Result<int> current() override;
};

}  // namespace fleetmark::agent::linux_os
