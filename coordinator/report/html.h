// The report as one page: no script, no request to anywhere, readable on paper and on a phone.
#pragma once

#include <string>

#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

// The same model gives the same bytes. Says what renderMarkdown says, with charts of the samples.
std::string renderHtml(const ReportModel& model);

}  // namespace fleetmark::coordinator::report
