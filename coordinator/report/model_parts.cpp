#include "coordinator/report/model_parts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fleetmark::coordinator::report {

namespace {

constexpr std::size_t kMostAnswers = 3;

std::string causeText(const Cause& cause) {
  std::string out = formatCount(cause.count) + (cause.count == 1 ? " sample " : " samples ");
  std::string word(model::toString(cause.verdict));
  std::replace(word.begin(), word.end(), '_', ' ');
  return out + word + ": " + (cause.reason.empty() ? "no reason was given" : cause.reason);
}

}  // namespace

void addGaps(const Section& section, const StepRow& row, ReportModel& model) {
  if (row.status == RowStatus::kComplete) return;
  bool byMetric = row.step->state == domain::StepState::kMeasured && !row.metrics.empty();
  if (!byMetric) {
    Gap gap{row.step, "", row.status, {}};
    if (!row.step->message.empty()) gap.why.push_back(row.step->message);
    model.gaps.push_back(std::move(gap));
  }
  for (std::size_t i = 0; i < row.metrics.size(); ++i) {
    const auto& metric = row.metrics[i];
    if (metric.status == RowStatus::kComplete) continue;
    if (!byMetric && metric.causes.empty()) continue;
    Gap gap{row.step, section.columns[i].label, metric.status, {}};
    for (const auto& cause : metric.causes) gap.why.push_back(causeText(cause));
    if (metric.otherCauses > 0) {
      gap.why.push_back(formatCount(metric.otherCauses) + " more with other reasons");
    }
    std::uint32_t requested = metric.counts.requested.value_or(0);
    if (requested > metric.counts.attempted) {
      gap.why.push_back(formatCount(requested - metric.counts.attempted) + " of " +
                        formatCount(requested) + " requested samples never arrived");
    }
    model.gaps.push_back(std::move(gap));
  }
}

void addMachines(ReportModel& model) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, std::size_t> known;
  std::vector<std::pair<std::string, std::vector<std::string>>> byMachine;
  for (const auto& step : model.data->steps) {
    if (step.agent.empty()) continue;
    Key key{step.runner, step.agent, step.host.hostname, step.host.bootId, step.agentVersion};
    auto [place, isNew] = known.emplace(key, model.machines.size());
    if (isNew) {
      MachineRow row{&step, buildFacts(step.environmentBeforeJson), step.clockOffset};
      BuildFacts older = buildFacts(step.host.environmentJson);
      if (row.build.compiler.empty()) row.build.compiler = older.compiler;
      if (row.build.flags.empty()) row.build.flags = older.flags;
      model.machines.push_back(std::move(row));
    }
    auto& offset = model.machines[place->second].clockOffset;
    if (std::chrono::abs(step.clockOffset) > std::chrono::abs(offset)) offset = step.clockOffset;
    if (step.host.machineKey.empty()) continue;
    auto same = [&](const auto& entry) { return entry.first == step.host.machineKey; };
    auto found = std::find_if(byMachine.begin(), byMachine.end(), same);
    if (found == byMachine.end()) {
      byMachine.push_back({step.host.machineKey, {}});
      found = byMachine.end() - 1;
    }
    auto& runners = found->second;
    if (std::find(runners.begin(), runners.end(), step.runner) == runners.end()) {
      runners.push_back(step.runner);
    }
  }
  for (auto& [key, runners] : byMachine) {
    if (runners.size() > 1) model.sharedMachines.push_back(std::move(runners));
  }
}

namespace {

// "highest median cpu rate 33,900 it/s (local-b), lowest 33,120 it/s (local-a)"; empty: no row of
// the section's first headline is complete.
std::string headlineClause(const Section& section) {
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    const auto& column = section.columns[i];
    if (!column.headline) continue;
    const StepRow* low = nullptr;
    const StepRow* high = nullptr;
    std::size_t count = 0;
    auto value = [&](const StepRow& row) { return *row.metrics[i].median; };
    for (const auto& row : section.steps) {
      const auto& metric = row.metrics[i];
      if (metric.status != RowStatus::kComplete || !metric.median) continue;
      ++count;
      if (low == nullptr || value(row) < value(*low)) low = &row;
      if (high == nullptr || value(row) > value(*high)) high = &row;
    }
    if (count == 0) continue;
    std::string name = section.probe + " " + column.label;
    if (section.pinning == Pinning::kUnpinned) name = "unpinned " + name;
    auto said = [&](const StepRow& row) {
      return formatValue(value(row), column.unit) + " (" + row.step->runner + ")";
    };
    if (count == 1) return "median " + name + " " + said(*high);
    if (value(*low) == value(*high)) {
      return "median " + name + " " + formatValue(value(*high), column.unit) + " on all";
    }
    return column.better == model::Better::kHigher
               ? "highest median " + name + " " + said(*high) + ", lowest " + said(*low)
               : "lowest median " + name + " " + said(*low) + ", highest " + said(*high);
  }
  return {};
}

}  // namespace

std::string makeAnswer(const ReportModel& model) {
  std::size_t total = model.data->steps.size();
  if (total == 0) return "This campaign has no steps, so nothing was measured.";
  std::string out;
  if (model.stepsComplete == 0) {
    out = "None of " + formatCount(total) + (total == 1 ? " measurement" : " measurements") +
          " is complete";
  } else {
    out = formatCount(model.stepsComplete) + " of " + formatCount(total) +
          (total == 1 ? " measurement is complete" : " measurements are complete");
  }
  std::size_t said = 0;
  for (const auto& section : model.sections) {
    std::string clause = headlineClause(section);
    if (clause.empty() || said == kMostAnswers) continue;
    out += (said++ == 0 ? ": " : "; ") + clause;
  }
  return out + ".";
}

}  // namespace fleetmark::coordinator::report
