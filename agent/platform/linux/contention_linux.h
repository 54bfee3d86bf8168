#pragma once

#include <vector>

#include "agent/platform/contention.h"
#include "agent/platform/linux/proc_text.h"

namespace fleetmark::agent::linux_os {

class LinuxContention final : public ContentionMeter {
 public:
  LinuxContention();
  ContentionReading read() override;
  base::Result<base::Nanos> threadCpuTime() override;

 private:
  // Read once: a process stays in its group while a probe runs.
  std::vector<Mount> mounts_;
  CgroupPaths groups_;
};

}  // namespace fleetmark::agent::linux_os
