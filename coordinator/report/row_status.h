// How a row of a report ended, in one word.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "coordinator/ports/views.h"

namespace fleetmark::coordinator::report {

enum class RowStatus {
  kComplete,     // every requested sample is valid
  kContended,    // all were taken; those missing from n were contended
  kIncomplete,   // some sample is absent or not valid
  kUnavailable,  // what was to be measured wasn't there
  kFailed,       // a measurement failure, with a message
  kLost,         // infrastructure failed as often as allowed
  kCancelled,
  kRunning,  // the report was made before the end
  kWaiting,
};

std::string_view toString(RowStatus status);
const std::vector<RowStatus>& allRowStatuses();

// Samples of one metric by what became of them.
struct SampleCounts {
  std::optional<std::uint32_t> requested;  // absent: not known
  std::uint32_t attempted = 0;
  std::uint32_t completed = 0;  // verdict ok
  std::uint32_t contended = 0;
  std::uint32_t unavailable = 0;
};

// Of one metric of a step that ended or will.
RowStatus metricStatus(domain::StepState state, const SampleCounts& counts);
// Of a step from those of its metrics; none at all is incomplete where the step was measured.
RowStatus stepStatus(domain::StepState state, const std::vector<RowStatus>& metrics);

}  // namespace fleetmark::coordinator::report
