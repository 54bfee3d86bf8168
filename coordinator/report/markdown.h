// The report as a person reads it: GitHub-flavoured Markdown.
#pragma once

#include <string>

#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

// The same model gives the same bytes. Samples that are valid aren't listed one by one; they are in
// the JSON and the CSV.
std::string renderMarkdown(const ReportModel& model);

}  // namespace fleetmark::coordinator::report
