// The document of everything readable that has no field of its own in HostFacts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/platform/linux/proc_text.h"
#include "agent/platform/linux/virtualisation.h"

namespace fleetmark::agent::linux_os {

struct EnvironmentInputs {
  CpuInfo cpu;
  Virtualisation virtualisation;
  const std::vector<Mount>& mounts;
  std::optional<double> cpuQuota;
  std::optional<double> allowedCpus;
  std::string binarySha256;
};

// What can't be read is absent.
std::string environmentJson(const EnvironmentInputs& inputs);

}  // namespace fleetmark::agent::linux_os
