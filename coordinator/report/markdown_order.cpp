// In which order the steps were planned and when they really began.
#include <algorithm>
#include <map>

#include "coordinator/report/markdown_parts.h"
#include "coordinator/report/markdown_text.h"
#include "coordinator/report/text.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::report {

namespace {

constexpr std::size_t kMostRows = 100;

struct Arm {
  base::WallTime first, last;  // starts of its steps
  std::size_t steps = 0;
};

// Runners under one fingerprint whose steps, two or more each, all began before the other's first.
std::vector<std::string> apartInTime(const ReportModel& model) {
  std::map<std::string, std::map<std::string, Arm>> arms;  // fingerprint, runner
  for (const auto& step : model.data->steps) {
    if (!step.startedAt) continue;
    auto& arm = arms[step.fingerprint][step.runner];
    if (arm.steps++ == 0) arm.first = arm.last = *step.startedAt;
    arm.first = std::min(arm.first, *step.startedAt);
    arm.last = std::max(arm.last, *step.startedAt);
  }
  std::vector<std::string> out;
  for (const auto& [fingerprint, runners] : arms) {
    for (auto a = runners.begin(); a != runners.end(); ++a) {
      for (auto b = std::next(a); b != runners.end(); ++b) {
        if (a->second.steps < 2 || b->second.steps < 2) continue;
        bool aFirst = a->second.last < b->second.first;
        bool bFirst = b->second.last < a->second.first;
        if (!aFirst && !bFirst) continue;
        const auto& earlier = aFirst ? *a : *b;
        const auto& later = aFirst ? *b : *a;
        out.push_back("Under " + codeOrText(fingerprint) + " all steps of " +
                      escapeMarkdown(earlier.first) + " began before the first of " +
                      escapeMarkdown(later.first) +
                      ": a drift in time can't be told from a difference between them. "
                      "`order: interleave` or `abba` lets them take turns.");
      }
    }
  }
  return out;
}

}  // namespace

std::string orderMarkdown(const ReportModel& model) {
  const auto& data = *model.data;
  std::vector<const ports::ReportStep*> steps;
  for (const auto& step : data.steps) {
    if (step.startedAt) steps.push_back(&step);
  }
  if (steps.empty()) return {};
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto* a, const auto* b) { return *a->startedAt < *b->startedAt; });
  std::string out = "## Order\n\nPlanned as `" + std::string(model::toString(data.order)) +
                    "`. When each step's last attempt began, by the database's clock:\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto* step : steps) {
    if (rows.size() == kMostRows) break;
    rows.push_back({std::to_string(step->position + 1), escapeMarkdown(step->runner),
                    escapeMarkdown(step->probe), std::to_string(step->trial),
                    escapeMarkdown(step->stepName),
                    "+" + formatSpan(*step->startedAt - *steps.front()->startedAt)});
  }
  out += markdownTable({{"Planned", Align::kRight},
                        {"Runner", Align::kLeft},
                        {"Probe", Align::kLeft},
                        {"Trial", Align::kRight},
                        {"Step", Align::kLeft},
                        {"Began", Align::kRight}},
                       rows);
  if (steps.size() > kMostRows) {
    out += std::to_string(steps.size() - kMostRows) +
           " more steps; result.json has the times of all.\n\n";
  }
  for (const auto& warning : apartInTime(model)) out += warning + "\n\n";
  return out;
}

}  // namespace fleetmark::coordinator::report
