// The result for programs: one JSON document, schema fleetmark.bench-result/v1
// (docs/result.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "coordinator/report/output.h"
#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

inline constexpr std::string_view kResultSchema = "fleetmark.bench-result/v1";

// Base units, every digit, every sample. What is absent is null. The same model gives the same
// bytes.
void renderJson(const ReportModel& model, Output& output);
std::string renderJson(const ReportModel& model);

}  // namespace fleetmark::coordinator::report
