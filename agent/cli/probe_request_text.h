// A probe's parameters as a person types them: texts with units, checked against the spec.
#pragma once

#include <map>
#include <string>

#include "agent/core/probe_request.h"
#include "common/base/result.h"
#include "common/probes/spec.h"

namespace fleetmark::agent::cli {

// `texts` by parameter name; what isn't named has its default. kInvalid names the parameter.
base::Result<core::ProbeRequest> requestFromTexts(const fleetmark::probes::ProbeSpec& spec,
                                                  const std::map<std::string, std::string>& texts);

}  // namespace fleetmark::agent::cli
