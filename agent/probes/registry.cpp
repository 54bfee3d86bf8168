#include "agent/probes/probe.h"

namespace fleetmark::agent::probes {

#define FM_PROBE(name) std::unique_ptr<Probe> name##Probe();
#include "common/probes/all_probes.def"
#undef FM_PROBE

std::unique_ptr<Probe> makeProbe(std::string_view name) {
#define FM_PROBE(known) \
  if (name == #known) return known##Probe();
#include "common/probes/all_probes.def"
#undef FM_PROBE
  return nullptr;
}

}  // namespace fleetmark::agent::probes
