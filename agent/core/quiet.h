// Is this host quiet enough to measure on? The judgement, without looking (that is StepStart's).
// See docs/scheduling.md, "Quiet". Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/platform/host_activity.h"
#include "common/base/clock.h"
#include "common/base/units.h"

namespace fleetmark::agent::core {

// Share of a window in which some task may wait for a CPU: what timers and daemons of an idle host
// cause now and then.
inline constexpr double kMostCpuPressure = 0.05;

struct TimedReading {
  base::MonoTime at;
  ActivityReading reading;
};

// One window. Absent: the system doesn't say.
struct QuietWindow {
  std::optional<double> loadPerCpu;   // tasks that ran or wanted to, on average
  std::optional<double> cpuPressure;  // shares of the window, 0 to 1
  std::optional<double> ioPressure;
  std::optional<double> memoryPressure;
  std::optional<double> load1;
  std::vector<std::string> leftovers;  // processes of an earlier probe: "4711 (fio)"
};

// `readings` in the order of time. The load is what was counted between the first and the last one
// or the mean of what each saw, whichever is more: the first can't see a queue, the second misses
// what is short.
QuietWindow windowOf(std::span<const TimedReading> readings, std::vector<std::string> leftovers);

// What speaks against measuring, a sentence each; empty: quiet. Without a load it can't be told,
// which is one of them.
std::vector<std::string> disturbances(const QuietWindow& window, double loadLimit);

// The text for Completion::quietJson.
std::string quietJson(const QuietWindow& window, const std::vector<std::string>& disturbedBy,
                      base::Nanos waited);

}  // namespace fleetmark::agent::core
