// One finished report file from rows.
#pragma once

#include "coordinator/ports/operator_port.h"

namespace fleetmark::coordinator::report {

// report.md, report.html, result.json or samples.csv. Any thread.
ports::RenderedReport renderReport(const ports::ReportData& data, ports::ReportFormat format);

}  // namespace fleetmark::coordinator::report
