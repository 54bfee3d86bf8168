// The limits that control groups put on this process, v1 and v2, also where both are mounted.
#pragma once

#include <optional>
#include <vector>

#include "agent/platform/linux/proc_text.h"

namespace fleetmark::agent::linux_os {

// The smallest quota from this process's group up to the root, in CPUs; absent: none is set.
std::optional<double> readCpuQuota(const std::vector<Mount>& mounts, const CgroupPaths& groups);
std::optional<Throttling> readThrottling(const std::vector<Mount>& mounts,
                                         const CgroupPaths& groups);

}  // namespace fleetmark::agent::linux_os
