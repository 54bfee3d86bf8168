// What the command's exit code says to a script; docs/command.md lists the same.
#pragma once

#include "common/base/result.h"
#include "coordinator/ports/views.h"

namespace fleetmark::coordinator::cli {

enum class ExitCode {
  kAllMeasured = 0,
  kSomeFailed =
      1,  // the campaign ran; not every sample asked for is valid. compare: some row can't be told
  kBadInput = 2,        // arguments, campaign file, name, certificate
  kInfrastructure = 3,  // no coordinator, agents lost, our fault
  kInterrupted = 130,   // Ctrl-C
};

ExitCode exitCodeOf(const base::Error& error);
// Of a campaign that has ended; a cancelled one counts as kInterrupted.
ExitCode exitCodeOf(const ports::CampaignSummary& summary);

}  // namespace fleetmark::coordinator::cli
