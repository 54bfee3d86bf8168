// Which CPUs the calling thread may run on.
#pragma once

#include <vector>

#include "common/base/result.h"

namespace fleetmark::agent {

class CpuAffinity {
 public:
  virtual ~CpuAffinity() = default;
  // Logical CPU numbers, ascending, as the system enforces them now; also what reads a pin back.
  virtual base::Result<std::vector<int>> allowed() = 0;
  // Confines the calling thread to one CPU. kDenied or kInvalid when the system refuses; nothing
  // has changed then. Success is not proof: read it back.
  virtual base::Status pin(int cpu) = 0;
  // The CPU this thread is on at this moment.
  virtual base::Result<int> current() = 0;
};

}  // namespace fleetmark::agent
