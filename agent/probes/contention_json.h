// Contention evidence as it stands in a sample's context. No third-party type passes through here:
// the text is a JSON object.
#pragma once

#include <string>

#include "agent/platform/contention.h"
#include "common/base/units.h"

namespace fleetmark::agent::probes {

// Differences of the counters, the load on both sides, and the wall time between. Members that the
// system doesn't offer are absent.
std::string contentionJson(const ContentionReading& before, const ContentionReading& after,
                           base::Nanos wall);

}  // namespace fleetmark::agent::probes
