#include "coordinator/report/render.h"

#include "coordinator/report/csv.h"
#include "coordinator/report/html.h"
#include "coordinator/report/json.h"
#include "coordinator/report/markdown.h"
#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

ports::RenderedReport renderReport(const ports::ReportData& data, ports::ReportFormat format) {
  ReportModel model = buildReportModel(data);
  switch (format) {
    case ports::ReportFormat::kMarkdown:
      return {"report.md", renderMarkdown(model)};
    case ports::ReportFormat::kJson:
      return {"result.json", renderJson(model)};
    case ports::ReportFormat::kCsv:
      return {"samples.csv", renderCsv(model)};
    case ports::ReportFormat::kHtml:
      return {"report.html", renderHtml(model)};
  }
  return {};
}

}  // namespace fleetmark::coordinator::report
