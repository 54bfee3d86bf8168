#include "coordinator/report/csv.h"

namespace fleetmark::coordinator::report {

namespace {

constexpr std::string_view kHeader =
    "campaign,campaign_id,runner,host,agent,probe,fingerprint,trial,step,attempt,metric,unit,"
    "index,started_at,value,verdict,reasons\r\n";

std::string joined(const std::vector<std::string>& reasons) {
  std::string out;
  for (const auto& reason : reasons) out += (out.empty() ? "" : "; ") + reason;
  return out;
}

}  // namespace

std::string csvText(std::string_view text) {
  constexpr std::string_view kRisky = "=+-@\t\r\n'";
  std::string cell;
  if (!text.empty() && kRisky.find(text.front()) != std::string_view::npos) cell = "'";
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

void renderCsv(const ReportModel& model, Output& output) {
  Pieces pieces(output);
  pieces.add(kHeader);
  const auto& campaign = model.data->campaign;
  std::string start = csvText(campaign.name) + "," + std::to_string(campaign.id.value) + ",";
  for (const auto& section : model.sections) {
    for (const auto& row : section.steps) {
      const auto& step = *row.step;
      std::string rowStart = start + csvText(step.runner) + "," + csvText(step.host.hostname) +
                             "," + csvText(step.agent) + "," + csvText(step.probe) + "," +
                             csvText(step.fingerprint) + "," + std::to_string(step.trial) + "," +
                             csvText(step.stepName) + "," + std::to_string(step.attempts) + ",";
      for (std::size_t i = 0; i < section.columns.size(); ++i) {
        const auto* source = row.metrics[i].source;
        if (source == nullptr) continue;
        const auto& column = section.columns[i];
        std::string metricStart =
            rowStart + csvText(column.metric) + "," + std::string(model::toString(column.unit));
        for (const auto& sample : source->samples) {
          pieces.add(metricStart);
          pieces.add("," + std::to_string(sample.index) + "," +
                     exactTime(base::fromUnixNanos(sample.startedAtNs)) + "," +
                     (sample.value ? exactNumber(*sample.value) : std::string()) + "," +
                     std::string(model::toString(sample.verdict)) + "," +
                     csvText(joined(sample.reasons)) + "\r\n");
        }
      }
    }
  }
  pieces.flush();
}

std::string renderCsv(const ReportModel& model) {
  StringOutput out;
  renderCsv(model, out);
  return out.take();
}

}  // namespace fleetmark::coordinator::report
