// `fleetmark-agent probe NAME`: runs one probe in this process, for the agent (--pipe) or for a
// person. Each returns the program's exit code.
#pragma once

#include <string>

#include "agent/core/probe_request.h"

namespace fleetmark::agent::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitMeasurement = 1,
  kExitBadInput = 2,
  kExitInfrastructure = 3
};

// Reads the request from standard input, writes ProbeEvents to standard output. A request that
// can't be understood gives no event: a line on standard error and kExitBadInput.
int runProbeForAgent(const std::string& name);

enum class ProbeOutput { kPeople, kJsonLines };

// Samples and verdicts on standard output as they come, progress on standard error.
int runProbeByHand(const core::ProbeRequest& request, ProbeOutput output);

}  // namespace fleetmark::agent::cli
