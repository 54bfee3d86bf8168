// The parameters of one probe in a campaign, by the probe's own spec.
#pragma once

#include <optional>

#include "common/model/campaign.h"
#include "common/probes/spec.h"
#include "coordinator/loader/fields.h"

namespace fleetmark::coordinator::loader {

// Defaults filled in, units normalised, relations checked; without `on`. `fields` has the spec's
// parameters as known keys. Reports what is wrong and returns nothing then.
std::optional<model::ProbeUse> readProbe(const probes::ProbeSpec& spec, const Fields& fields,
                                         const Place& place, Issues& issues);

}  // namespace fleetmark::coordinator::loader
