// fleetmark why: what holds a job back, a line for each thing that its steps need.
#include <nlohmann/json.hpp>

#include "coordinator/cli/commands.h"
#include "coordinator/cli/output.h"

namespace fleetmark::coordinator::cli {

std::string whyText(const ports::JobReasons& job) {
  std::string out = "job " + std::to_string(job.job.value) + "  " + job.probe + " for " +
                    job.runner + ", trial " + std::to_string(job.trial) + " of campaign " +
                    std::to_string(job.campaign.value) + " " + job.campaignName + "  " +
                    std::string(domain::toString(job.state)) + "\n";
  for (const auto& step : job.steps) {
    std::string head = "step " + std::to_string(step.step.value) + "  " + step.stepName + "  " +
                       std::string(domain::toString(step.state));
    if (step.constraints.empty()) {
      out += textTable({head}, {});
      continue;
    }
    auto seconds = step.estimate ? std::chrono::ceil<std::chrono::seconds>(*step.estimate)
                                 : std::chrono::seconds(0);
    std::string when = !step.estimate ? "nobody can say when it starts"
                       : seconds.count() <= 0
                           ? "may start now"
                           : "may start in about " + base::formatDuration(seconds);
    std::vector<std::vector<std::string>> rows;
    for (const auto& constraint : step.constraints) {
      rows.push_back({constraint.holds ? "  ok" : "  WAITS", constraint.kind, constraint.text});
    }
    out += textTable({head + ": " + when}, {});
    // The first row takes the header's place.
    auto first = rows.front();
    rows.erase(rows.begin());
    out += textTable(first, rows);
  }
  return out;
}

std::string whyJson(const ports::JobReasons& job) {
  using Json = nlohmann::ordered_json;
  Json out{{"job", job.job.value},
           {"campaign", job.campaign.value},
           {"campaign_name", job.campaignName},
           {"runner", job.runner},
           {"probe", job.probe},
           {"trial", job.trial},
           {"state", domain::toString(job.state)},
           {"steps", Json::array()}};
  for (const auto& step : job.steps) {
    Json constraints = Json::array();
    for (const auto& constraint : step.constraints) {
      constraints.push_back(
          {{"kind", constraint.kind}, {"holds", constraint.holds}, {"text", constraint.text}});
    }
    out["steps"].push_back(
        {{"step", step.step.value},
         {"name", step.stepName},
         {"state", domain::toString(step.state)},
         {"constraints", constraints},
         {"estimate_ns", step.estimate ? Json(step.estimate->count()) : Json(nullptr)}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitCode whyCommand(const Command& command, const std::vector<std::string>& job) {
  std::string text;
  for (const auto& word : job) text += (text.empty() ? "" : " ") + word;
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  auto reasons = (*port)->why(text);
  if (!reasons) return fail(command, reasons.error());
  printOut(command.format == Format::kJson ? whyJson(*reasons) : whyText(*reasons));
  return ExitCode::kAllMeasured;
}

}  // namespace fleetmark::coordinator::cli
