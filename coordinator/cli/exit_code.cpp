#include "coordinator/cli/exit_code.h"

namespace fleetmark::coordinator::cli {

ExitCode exitCodeOf(const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::kInvalid:
    case base::ErrorCode::kNotFound:
    case base::ErrorCode::kConflict:
    case base::ErrorCode::kDenied:
    case base::ErrorCode::kUnsupported:
      return ExitCode::kBadInput;
    case base::ErrorCode::kUnavailable:
    case base::ErrorCode::kOverloaded:
    case base::ErrorCode::kInternal:
      return ExitCode::kInfrastructure;
  }
  return ExitCode::kInfrastructure;
}

ExitCode exitCodeOf(const ports::CampaignSummary& summary) {
  if (summary.stepsLost > 0) return ExitCode::kInfrastructure;
  if (summary.state == domain::CampaignState::kCancelled) return ExitCode::kInterrupted;
  if (summary.stepsFailed > 0 || summary.samplesInvalid > 0 || summary.stepsCancelled > 0) {
    return ExitCode::kSomeFailed;
  }
  return ExitCode::kAllMeasured;
}

}  // namespace fleetmark::coordinator::cli
