#include "coordinator/ports/operator_port.h"

#include "common/model/words.h"

namespace fleetmark::coordinator::ports {

namespace {

constexpr model::Words<ReportFormat, 4> kFormats{{{
    {ReportFormat::kMarkdown, "md"},
    {ReportFormat::kJson, "json"},
    {ReportFormat::kCsv, "csv"},
    {ReportFormat::kHtml, "html"},
}}};

}  // namespace

std::string_view toString(ReportFormat format) { return kFormats.word(format); }
std::optional<ReportFormat> parseReportFormat(std::string_view word) {
  return kFormats.parse(word);
}

const std::vector<ReportFormat>& allReportFormats() {
  static const std::vector<ReportFormat> all{ReportFormat::kHtml, ReportFormat::kMarkdown,
                                             ReportFormat::kJson, ReportFormat::kCsv};
  return all;
}

}  // namespace fleetmark::coordinator::ports
