// The samples for spreadsheets and data frames: one row per sample, RFC 4180 (CRLF, doubled
// quotes), UTF-8, base units, every digit.
#pragma once

#include <string>

#include "coordinator/report/output.h"
#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

// A text cell that a spreadsheet would run as a formula (it begins with = + - @, tab, CR or LF)
// gets an apostrophe in front, and so does one that begins with an apostrophe: taking one leading
// apostrophe away gives the text back. Numbers and times are left alone.
std::string csvText(std::string_view text);

void renderCsv(const ReportModel& model, Output& output);
std::string renderCsv(const ReportModel& model);

}  // namespace fleetmark::coordinator::report
