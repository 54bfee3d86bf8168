// Makes a fault of the plan happen, and ends it.
#pragma once

#include <string>

#include "tests/chaos/fleet.h"
#include "tests/chaos/operator.h"
#include "tests/chaos/plan.h"

namespace fleetmark::chaos {

class Injector {
 public:
  Injector(Fleet& fleet, Operator& op) : fleet_(fleet), operator_(op) {}

  // What happened, where the fault's name does not say it all: "skipped: ..." for one.
  std::string begin(const Fault& fault);
  void end(const Fault& fault);

 private:
  Fleet& fleet_;
  Operator& operator_;
};

}  // namespace fleetmark::chaos
