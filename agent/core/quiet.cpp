#include "agent/core/quiet.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace fleetmark::agent::core {

namespace {

using nlohmann::json;

std::optional<double> shareOf(std::optional<base::Nanos> before, std::optional<base::Nanos> after,
                              base::Nanos window) {
  if (!before || !after || *after < *before || window <= base::Nanos(0)) return std::nullopt;
  return static_cast<double>((*after - *before).count()) / static_cast<double>(window.count());
}

std::optional<double> meanRunnable(std::span<const TimedReading> readings) {
  double sum = 0;
  for (const auto& one : readings) {
    if (!one.reading.runnable) return std::nullopt;
    sum += static_cast<double>(*one.reading.runnable);
  }
  return sum / static_cast<double>(readings.size());
}

std::string decimals(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

json orNull(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

}  // namespace

QuietWindow windowOf(std::span<const TimedReading> readings, std::vector<std::string> leftovers) {
  QuietWindow out;
  out.leftovers = std::move(leftovers);
  if (readings.empty()) return out;
  const auto& first = readings.front();
  const auto& last = readings.back();
  base::Nanos length = last.at - first.at;
  out.cpuPressure = shareOf(first.reading.cpuPressure, last.reading.cpuPressure, length);
  out.ioPressure = shareOf(first.reading.ioPressure, last.reading.ioPressure, length);
  out.memoryPressure = shareOf(first.reading.memoryPressure, last.reading.memoryPressure, length);
  out.load1 = last.reading.load1;
  auto ran = shareOf(first.reading.busy, last.reading.busy, length);
  auto wanted = meanRunnable(readings);
  if ((ran || wanted) && last.reading.cpus && *last.reading.cpus > 0) {
    out.loadPerCpu = std::max(ran.value_or(0), wanted.value_or(0)) / *last.reading.cpus;
  }
  return out;
}

std::vector<std::string> disturbances(const QuietWindow& window, double loadLimit) {
  std::vector<std::string> out;
  if (!window.loadPerCpu) {
    out.push_back("this system doesn't say how many tasks run, so it can't be told to be quiet");
  } else if (*window.loadPerCpu >= loadLimit) {
    out.push_back("load " + decimals("%.2f", *window.loadPerCpu) + " per CPU, limit " +
                  decimals("%.2f", loadLimit));
  }
  if (window.cpuPressure && *window.cpuPressure > kMostCpuPressure) {
    out.push_back("tasks waited for a CPU in " + decimals("%.0f", *window.cpuPressure * 100) +
                  " % of the time, limit " + decimals("%.0f", kMostCpuPressure * 100) + " %");
  }
  for (const auto& process : window.leftovers) {
    out.push_back("process " + process + " of an earlier probe is left");
  }
  return out;
}

std::string quietJson(const QuietWindow& window, const std::vector<std::string>& disturbedBy,
                      base::Nanos waited) {
  json out = {{"quiet", disturbedBy.empty()},
              {"waited_ns", waited.count()},
              {"load_per_cpu", orNull(window.loadPerCpu)},
              {"load1", orNull(window.load1)},
              {"psi_cpu", orNull(window.cpuPressure)},
              {"psi_io", orNull(window.ioPressure)},
              {"psi_memory", orNull(window.memoryPressure)},
              {"disturbed_by", disturbedBy}};
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fleetmark::agent::core
