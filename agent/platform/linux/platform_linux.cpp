#include "agent/platform/linux/activity_linux.h"
#include "agent/platform/linux/affinity_linux.h"
#include "agent/platform/linux/clocks_linux.h"
#include "agent/platform/linux/contention_linux.h"
#include "agent/platform/linux/direct_io_linux.h"
#include "agent/platform/linux/host_linux.h"
#include "agent/platform/platform.h"

namespace fleetmark::agent {

namespace {

class LinuxPlatform final : public Platform {
 public:
  HostInspector& host() override { return host_; }
  CpuAffinity& affinity() override { return affinity_; }
  ContentionMeter& contention() override { return contention_; }
  DirectIo& directIo() override { return directIo_; }
  HostActivity& activity() override { return activity_; }
  MachineClocks& clocks() override { return clocks_; }

 private:
  linux_os::LinuxHost host_;
  linux_os::LinuxAffinity affinity_;
  linux_os::LinuxContention contention_;
  linux_os::LinuxDirectIo directIo_;
  linux_os::LinuxActivity activity_;
  linux_os::LinuxClocks clocks_;
};

}  // namespace

std::unique_ptr<Platform> makePlatform() { return std::make_unique<LinuxPlatform>(); }

}  // namespace fleetmark::agent
