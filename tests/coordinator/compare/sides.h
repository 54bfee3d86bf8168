// Sides of comparisons, made by the report itself, so that what is compared is what is written.
#pragma once

#include <string>
#include <vector>

#include "coordinator/compare/comparison.h"
#include "coordinator/report/json.h"
#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::compare::testing {

inline const std::vector<double> kRates{33120, 33098, 33140, 33090, 33115};

inline std::vector<double> scaled(double factor, std::vector<double> values = kRates) {
  for (double& value : values) value *= factor;
  return values;
}

// A complete pinned cpu step on a machine of its own.
inline ports::ReportStep cpu(const std::string& runner, const std::vector<double>& rates,
                             const std::string& machine = "machine") {
  auto step = report::testing::cpuStep(
      runner, {report::testing::metricOf("cpu_rate", model::Unit::kIterationsPerSecond, rates,
                                         R"({"pinned":true})")});
  step.host.machineId = machine;
  step.host.bootId = "boot of " + machine;
  return step;
}

inline std::string resultOf(const std::vector<ports::ReportStep>& steps) {
  return report::renderJson(report::buildReportModel(report::testing::campaignOf(steps)));
}

inline Choice sideOf(const std::vector<ports::ReportStep>& steps, const std::string& runner = "") {
  auto file = readResult(resultOf(steps), "side");
  FM_CHECK(file.has_value());
  return {std::move(*file), runner};
}

}  // namespace fleetmark::coordinator::compare::testing
