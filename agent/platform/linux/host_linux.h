#pragma once

#include <string>

#include "agent/platform/host_inspector.h"

namespace fleetmark::agent::linux_os {

class LinuxHost final : public HostInspector {
 public:
  model::HostFacts facts() override;

 private:
  std::string binarySha256_;  // of this program, computed once
};

// The raw id names the installation to everyone on it, so only a keyed hash leaves the host.
// Empty for an empty id.
std::string hashedMachineId(const std::string& raw);

}  // namespace fleetmark::agent::linux_os
