// Parts of buildReportModel, for report_model.cpp alone.
#pragma once

#include <string>

#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

void addGaps(const Section& section, const StepRow& row, ReportModel& model);
// Machines and which of them several runners share, from model.data.
void addMachines(ReportModel& model);
// Needs sections and stepsComplete.
std::string makeAnswer(const ReportModel& model);

}  // namespace fleetmark::coordinator::report
