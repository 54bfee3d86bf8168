// Invented campaigns for the report's tests. Everything is fixed: same call, same rows.
#pragma once

#include <string>
#include <vector>

#include "coordinator/ports/views.h"

namespace fleetmark::coordinator::report::testing {

// 2026-11-30T16:09:37.125Z.
inline constexpr std::int64_t kStartNs = 1'796'054'977'125'000'000;

model::Sample sampleOf(const std::string& metric, std::uint32_t index, double value,
                       const std::string& contextJson = "{}");
model::Sample badSample(const std::string& metric, std::uint32_t index, std::optional<double> value,
                        model::Verdict verdict, std::vector<std::string> reasons,
                        const std::string& contextJson = "{}");

// Statistics over the valid samples, as the store would answer them.
ports::ReportMetric metricOf(const std::string& name, model::Unit unit, model::Better better,
                             std::uint32_t requested, std::vector<model::Sample> samples);
// A headline metric of valid samples with these values.
ports::ReportMetric metricOf(const std::string& name, model::Unit unit,
                             const std::vector<double>& values,
                             const std::string& contextJson = "{}");

// A measured step on an agent of the runner's name; machine key "machine-1".
ports::ReportStep cpuStep(const std::string& runner, std::vector<ports::ReportMetric> metrics);
ports::ReportStep diskStep(const std::string& runner, std::vector<ports::ReportMetric> metrics);
// To a server named "LibreSpeed (Amsterdam)".
ports::ReportStep internetStep(const std::string& runner, std::vector<ports::ReportMetric> metrics);
ports::ReportStep selftestStep(const std::string& runner, std::vector<ports::ReportMetric> metrics);

// Done, submitted at kStartNs, ended 74 s later; runners and positions from the steps.
ports::ReportData campaignOf(std::vector<ports::ReportStep> steps);

// Two agents on one machine, a macOS machine without pinning and one that never came: complete,
// contended, timed out, failed and lost beside each other.
ports::ReportData typicalCampaign();

}  // namespace fleetmark::coordinator::report::testing
