// Facts about the machine the agent stands on.
#pragma once

#include "common/model/host.h"

namespace fleetmark::agent {

class HostInspector {
 public:
  virtual ~HostInspector() = default;
  // Reads everything anew (some 10 ms; the first call also hashes this program's file). Facts that
  // can't be read are empty. Any thread, one at a time.
  virtual model::HostFacts facts() = 0;
};

}  // namespace fleetmark::agent
