#include "agent/probes/contention_json.h"

#include <nlohmann/json.hpp>

namespace fleetmark::agent::probes {

namespace {

void difference(nlohmann::json& out, const char* key, const std::optional<std::int64_t>& before,
                const std::optional<std::int64_t>& after) {
  if (before && after) out[key] = *after - *before;
}

void difference(nlohmann::json& out, const char* key, const std::optional<base::Nanos>& before,
                const std::optional<base::Nanos>& after) {
  if (before && after) out[key] = (*after - *before).count();
}

}  // namespace

std::string contentionJson(const ContentionReading& before, const ContentionReading& after,
                           base::Nanos wall) {
  nlohmann::json out{{"wall_ns", wall.count()}};
  difference(out, "thread_cpu_ns", before.threadCpu, after.threadCpu);
  difference(out, "voluntary_switches", before.voluntarySwitches, after.voluntarySwitches);
  difference(out, "involuntary_switches", before.involuntarySwitches, after.involuntarySwitches);
  difference(out, "cpu_pressure_ns", before.cpuPressure, after.cpuPressure);
  difference(out, "steal_ns", before.steal, after.steal);
  difference(out, "throttled_periods", before.throttledPeriods, after.throttledPeriods);
  difference(out, "throttled_ns", before.throttled, after.throttled);
  if (before.load1) out["load1_before"] = *before.load1;
  if (after.load1) out["load1_after"] = *after.load1;
  if (before.cpu) out["cpu_before"] = *before.cpu;
  if (after.cpu) out["cpu_after"] = *after.cpu;
  return out.dump();
}

}  // namespace fleetmark::agent::probes
