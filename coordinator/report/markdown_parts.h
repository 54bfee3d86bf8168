// Sections of the Markdown report, for markdown.cpp alone. Each ends with an empty line.
#pragma once

#include <string>

#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

std::string machinesMarkdown(const ReportModel& model);   // markdown_machines.cpp
std::string orderMarkdown(const ReportModel& model);      // markdown_order.cpp
std::string methodMarkdown(const ReportModel& model);     // markdown_method.cpp
std::string reproduceMarkdown(const ReportModel& model);  // markdown_method.cpp

}  // namespace fleetmark::coordinator::report
