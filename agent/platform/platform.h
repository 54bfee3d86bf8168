// What the agent and its probes need of the operating system, as small interfaces. An
// implementation is one folder per system; what a system lacks answers kUnsupported or an absent
// optional, never a made-up value.
#pragma once

#include <memory>

#include "agent/platform/contention.h"
#include "agent/platform/cpu_affinity.h"
#include "agent/platform/direct_io.h"
#include "agent/platform/host_activity.h"
#include "agent/platform/host_inspector.h"
#include "agent/platform/machine_clocks.h"

namespace fleetmark::agent {

class Platform {
 public:
  virtual ~Platform() = default;
  // The references live as long as the Platform.
  virtual HostInspector& host() = 0;
  virtual CpuAffinity& affinity() = 0;
  virtual ContentionMeter& contention() = 0;
  virtual DirectIo& directIo() = 0;
  virtual HostActivity& activity() = 0;
  virtual MachineClocks& clocks() = 0;
};

// Of the system this program was built for.
std::unique_ptr<Platform> makePlatform();

}  // namespace fleetmark::agent
