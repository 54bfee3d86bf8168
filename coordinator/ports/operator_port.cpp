#include "coordinator/ports/operator_port.h"

#include "common/model/words.h"

namespace fleetmark::coordinator::ports {

namespace {

constexpr model::Words<ReportFormat, 3> kFormats{{{
    {ReportFormat::kMarkdown, "md"},
    {ReportFormat::kJson, "json"},
    {ReportFormat::kCsv, "csv"},
}}};

}  // namespace

std::string_view toString(ReportFormat format) { return kFormats.word(format); }
std::optional<ReportFormat> parseReportFormat(std::string_view word) {
  return kFormats.parse(word);
}

}  // namespace fleetmark::coordinator::ports
