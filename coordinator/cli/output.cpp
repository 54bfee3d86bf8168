#include "coordinator/cli/output.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/probes/spec.h"

namespace fleetmark::coordinator::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Terminal columns of UTF-8 text, every code point counted as one.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // C1: U+009B begins a terminal's command
      out += '?';
      ++i;
    } else {
      out += byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
  }
  return out;
}

Json wallJson(const std::optional<base::WallTime>& time) {
  if (!time) return nullptr;
  return base::formatWall(*time);
}

Json summaryJson(const ports::CampaignSummary& summary) {
  return Json{{"id", summary.id.value},
              {"name", summary.name},
              {"state", domain::toString(summary.state)},
              {"paused", summary.paused},
              {"submitted_at", base::formatWall(summary.submittedAt)},
              {"finished_at", wallJson(summary.finishedAt)},
              {"steps",
               {{"total", summary.stepsTotal},
                {"measured", summary.stepsMeasured},
                {"failed", summary.stepsFailed},
                {"lost", summary.stepsLost},
                {"cancelled", summary.stepsCancelled},
                {"running", summary.stepsRunning}}},
              {"samples_invalid", summary.samplesInvalid},
              {"estimate_ns", summary.estimate.count()}};
}

}  // namespace

std::string textTable(const std::vector<std::string>& header,
                      const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& cell : header) widths.push_back(columns(cell));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row[i]));
    }
  }
  std::string out;
  auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
      text += printable(cells[i]);
      if (i + 1 < cells.size()) text += std::string(widths[i] - columns(cells[i]) + 2, ' ');
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out += text + "\n";
  };
  line(header);
  for (const auto& row : rows) line(row);
  return out;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string paramsInWords(const model::ProbeUse& use) {
  std::string out;
  const auto* spec = probes::findSpec(use.profile.probe);
  auto json = nlohmann::json::parse(use.paramsJson, nullptr, false);
  auto placement = nlohmann::json::parse(use.placementJson, nullptr, false);
  if (spec == nullptr || !json.is_object()) return use.paramsJson;
  for (const auto& param : spec->params) {
    auto key = probes::jsonKey(param);
    const auto& source = json.contains(key) ? json : placement;
    if (!source.is_object() || !source.contains(key)) continue;
    const auto& value = source[key];
    if (!out.empty()) out += ", ";
    out += std::string(param.name) + " ";
    if (param.kind == probes::ParamKind::kDuration) {
      out += base::formatDuration(base::Nanos(value.get<std::int64_t>()));
    } else if (param.kind == probes::ParamKind::kBytes) {
      out += base::formatBytes(base::Bytes{value.get<std::int64_t>()});
    } else if (value.is_string()) {
      out += value.get<std::string>();
    } else {
      out += value.dump();
    }
  }
  return out;
}

std::string paramsAtAGlance(const model::ProbeUse& use) {
  auto json = nlohmann::json::parse(use.paramsJson, nullptr, false);
  auto number = [&json](const char* key) -> std::optional<std::int64_t> {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return {};
    return json[key].get<std::int64_t>();
  };
  std::string out;
  if (auto file = number("file_bytes")) out = base::formatBytes(base::Bytes{*file});
  auto samples = number("samples");
  if (!samples) return out;
  out += (out.empty() ? "" : ", ") + counted(static_cast<std::size_t>(*samples), "sample");
  if (auto duration = number("duration_ns")) {
    out += " x " + base::formatDuration(base::Nanos(*duration));
  }
  return out;
}

std::string planText(const model::Plan& plan) {
  std::size_t steps = 0;
  for (const auto& job : plan.jobs) steps += job.steps.size();
  std::string out;
  out += "campaign  " + plan.spec.name + "\n";
  out += "matrix    " + counted(plan.spec.runners.size(), "runner") + " x " +
         counted(plan.spec.probes.size(), "probe") + ", " + counted(plan.jobs.size(), "job") +
         ", " + counted(steps, "step") + "\n";
  out += "order     " + std::string(model::toString(plan.spec.order)) +
         (plan.spec.seedGiven ? ", seed " + std::to_string(plan.spec.seed)
                              : ", seed chosen at submit") +
         "\n";
  out += "estimate  " + base::formatDuration(plan.estimate) +
         " with each runner on a machine of its own, " +
         base::formatDuration(plan.estimateOneMachine) + " when all share one\n\n";
  std::vector<std::vector<std::string>> profiles;
  for (const auto& use : plan.spec.probes) {
    profiles.push_back({use.profile.probe, use.profile.fingerprint,
                        std::to_string(use.profile.protocol), paramsInWords(use)});
  }
  out += textTable({"PROBE", "FINGERPRINT", "PROTOCOL", "PARAMETERS"}, profiles) + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& job : plan.jobs) {
    const auto& runner = plan.spec.runners[job.runner];
    for (const auto& step : job.steps) {
      rows.push_back({std::to_string(job.position + 1), runner.name,
                      plan.spec.probes[job.probe].profile.probe, std::to_string(job.trial),
                      step.name, base::formatDuration(step.estimate),
                      model::describeLabels(runner.match)});
    }
  }
  out +=
      textTable({"#", "RUNNER", "PROBE", "TRIAL", "STEP", "ESTIMATE", "AGENTS THAT MATCH"}, rows);
  return out;
}

std::string planJson(const model::Plan& plan) {
  Json out{{"campaign", plan.spec.name},
           {"order", model::toString(plan.spec.order)},
           {"seed", plan.spec.seedGiven ? Json(plan.spec.seed) : Json(nullptr)},
           {"estimate_ns", plan.estimate.count()},
           {"estimate_one_machine_ns", plan.estimateOneMachine.count()}};
  out["profiles"] = Json::array();
  for (const auto& use : plan.spec.probes) {
    out["profiles"].push_back({{"probe", use.profile.probe},
                               {"protocol", use.profile.protocol},
                               {"fingerprint", use.profile.fingerprint},
                               {"params", Json::parse(use.paramsJson, nullptr, false)},
                               {"placement", Json::parse(use.placementJson, nullptr, false)},
                               {"samples_per_metric", use.requestedSamples}});
  }
  out["jobs"] = Json::array();
  for (const auto& job : plan.jobs) {
    Json steps = Json::array();
    for (const auto& step : job.steps) {
      Json needs = Json::array();
      for (const auto& need : step.needs) {
        needs.push_back({{"step", job.steps[need.step].name},
                         {"delay_ns", need.delay.count()},
                         {"host_relation", model::toString(need.hostRelation)}});
      }
      steps.push_back({{"name", step.name},
                       {"needs", needs},
                       {"estimate_ns", step.estimate.count()},
                       {"time_limit_ns", step.timeLimit.count()}});
    }
    const auto& runner = plan.spec.runners[job.runner];
    out["jobs"].push_back({{"position", job.position},
                           {"runner", runner.name},
                           {"match", runner.match},
                           {"probe", plan.spec.probes[job.probe].profile.probe},
                           {"fingerprint", plan.spec.probes[job.probe].profile.fingerprint},
                           {"trial", job.trial},
                           {"steps", steps}});
  }
  return dump(out);
}

std::string statusJson(const ports::CampaignStatus& status) {
  Json out{{"campaign", summaryJson(status.summary)}, {"steps", Json::array()}};
  for (const auto& step : status.steps) {
    Json headline = nullptr;
    if (step.headlineValue) {
      headline = {{"metric", step.headlineMetric},
                  {"median", *step.headlineValue},
                  {"cv", step.headlineCv ? Json(*step.headlineCv) : Json(nullptr)}};
    }
    out["steps"].push_back({{"step", step.step.value},
                            {"job", step.job.value},
                            {"runner", step.runner},
                            {"probe", step.probe},
                            {"fingerprint", step.fingerprint},
                            {"trial", step.trial},
                            {"name", step.stepName},
                            {"state", domain::toString(step.state)},
                            {"agent", step.agent.empty() ? Json(nullptr) : Json(step.agent)},
                            {"attempts", step.attempts},
                            {"samples_ok", step.samplesOk},
                            {"samples_seen", step.samplesSeen},
                            {"samples_requested", step.samplesRequested},
                            {"progress", step.progress},
                            {"message", step.message},
                            {"waiting", step.waiting},
                            {"headline", headline},
                            {"started_at", wallJson(step.startedAt)},
                            {"ended_at", wallJson(step.endedAt)}});
  }
  return dump(out);
}

std::string stateText(const ports::CampaignSummary& campaign) {
  return std::string(domain::toString(campaign.state)) + (campaign.paused ? ", paused" : "");
}

std::string summariesText(const std::vector<ports::CampaignSummary>& campaigns) {
  if (campaigns.empty()) return "no campaign yet; submit one: fleetmark submit FILE\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& campaign : campaigns) {
    rows.push_back(
        {std::to_string(campaign.id.value), campaign.name, stateText(campaign),
         base::formatWall(campaign.submittedAt),
         std::to_string(campaign.stepsMeasured) + "/" + std::to_string(campaign.stepsTotal),
         std::to_string(campaign.stepsFailed), std::to_string(campaign.stepsLost),
         std::to_string(campaign.samplesInvalid)});
  }
  return textTable(
      {"ID", "CAMPAIGN", "STATE", "SUBMITTED", "MEASURED", "FAILED", "LOST", "INVALID SAMPLES"},
      rows);
}

std::string summariesJson(const std::vector<ports::CampaignSummary>& campaigns) {
  Json out = Json::array();
  for (const auto& campaign : campaigns) out.push_back(summaryJson(campaign));
  return dump(out);
}

std::string agentsText(const std::vector<ports::AgentView>& agents, base::WallTime now) {
  if (agents.empty()) {
    return "no agent yet; enrol one: fleetmark enroll agent NAME --out FOLDER, then run "
           "fleetmark-agent with that folder\n";
  }
  std::vector<std::vector<std::string>> rows;
  std::string reasons;
  for (const auto& agent : agents) {
    auto ago = std::max(now - agent.lastSeen, base::Nanos(0));
    auto seconds = std::chrono::round<std::chrono::seconds>(ago);
    rows.push_back({agent.name, agent.state, agent.doing.empty() ? "-" : agent.doing,
                    base::formatDuration(seconds) + " ago", agent.cpuModel,
                    model::describeLabels(agent.labels)});
    if (!agent.reason.empty()) {
      reasons += printable(agent.name) + ": " + printable(agent.reason) + "\n";
    }
  }
  std::string table = textTable({"AGENT", "STATE", "DOING", "LAST SEEN", "CPU", "LABELS"}, rows);
  return reasons.empty() ? table : table + "\n" + reasons;
}

namespace {

Json toJson(const ports::AgentView& agent) {
  return {{"id", agent.id.toString()},
          {"name", agent.name},
          {"state", agent.state},
          {"reason", agent.reason.empty() ? Json(nullptr) : Json(agent.reason)},
          {"doing", agent.doing.empty() ? Json(nullptr) : Json(agent.doing)},
          {"last_seen", base::formatWall(agent.lastSeen)},
          {"labels", agent.labels},
          {"probes", agent.probes},
          {"cpu_model", agent.cpuModel},
          {"version", agent.version},
          {"clock_offset_ns", agent.clockOffset.count()}};
}

}  // namespace

std::string agentsJson(const std::vector<ports::AgentView>& agents) {
  Json out = Json::array();
  for (const auto& agent : agents) out.push_back(toJson(agent));
  return dump(out);
}

std::string agentJson(const ports::AgentView& agent) { return dump(toJson(agent)); }

std::string eventJson(const ports::CampaignEvent& event) {
  Json out{{"cursor", event.cursor},
           {"at", base::formatWall(event.at)},
           {"kind", event.kind},
           {"step", event.step.value == 0 ? Json(nullptr) : Json(event.step.value)},
           {"data", Json::parse(event.dataJson, nullptr, false)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tableText(const ports::Table& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const auto& cell : row) cells.push_back(cell ? *cell : "(null)");
    rows.push_back(std::move(cells));
  }
  return textTable(table.columns, rows);
}

std::string tableJson(const ports::Table& table) {
  Json out{{"columns", table.columns}, {"rows", Json::array()}, {"truncated", table.truncated}};
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const auto& cell : row) cells.push_back(cell ? Json(*cell) : Json(nullptr));
    out["rows"].push_back(std::move(cells));
  }
  return dump(out);
}

std::string tableCsv(const ports::Table& table) {
  std::string out;
  // An empty text is quoted, as PostgreSQL's COPY does it: without quotes it is null.
  auto add = [&out](const std::string& cell) {
    if (!cell.empty() && cell.find_first_of(",\"\r\n") == std::string::npos) {
      out += cell;
      return;
    }
    out += '"';
    for (char c : cell) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    add(table.columns[i]);
  }
  out += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      if (row[i]) add(*row[i]);
    }
    out += "\r\n";
  }
  return out;
}

std::string runJson(const std::string& campaign, int exitCode,
                    const std::vector<std::string>& files) {
  Json out{{"campaign_id", Json::parse(campaign, nullptr, false)},
           {"exit_code", exitCode},
           {"files", files}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string errorJson(const base::Error& error) {
  return dump(Json{{"error", {{"code", base::toString(error.code)}, {"message", error.message}}}});
}

}  // namespace fleetmark::coordinator::cli
