// In which order the steps were planned and when they really began.
#include <algorithm>
#include <map>

#include "coordinator/report/document_parts.h"

namespace fleetmark::coordinator::report {

namespace {

constexpr std::size_t kMostRows = 100;

struct Arm {
  base::WallTime first, last;  // starts of its steps
  std::size_t steps = 0;
};

// Runners under one fingerprint whose steps, two or more each, all began before the other's first.
std::vector<Line> apartInTime(const ReportModel& model) {
  std::map<std::string, std::map<std::string, Arm>> arms;  // fingerprint, runner
  for (const auto& step : model.data->steps) {
    if (!step.startedAt) continue;
    auto& arm = arms[step.fingerprint][step.runner];
    if (arm.steps++ == 0) arm.first = arm.last = *step.startedAt;
    arm.first = std::min(arm.first, *step.startedAt);
    arm.last = std::max(arm.last, *step.startedAt);
  }
  std::vector<Line> out;
  for (const auto& [fingerprint, runners] : arms) {
    for (auto a = runners.begin(); a != runners.end(); ++a) {
      for (auto b = std::next(a); b != runners.end(); ++b) {
        if (a->second.steps < 2 || b->second.steps < 2) continue;
        bool aFirst = a->second.last < b->second.first;
        bool bFirst = b->second.last < a->second.first;
        if (!aFirst && !bFirst) continue;
        const auto& earlier = aFirst ? *a : *b;
        const auto& later = aFirst ? *b : *a;
        out.push_back(Line("Under ")
                          .code(fingerprint)
                          .own(" all steps of ")
                          .foreign(earlier.first)
                          .own(" began before the first of ")
                          .foreign(later.first)
                          .own(": a drift in time can't be told from a difference between them. ")
                          .command("order: interleave")
                          .own(" or ")
                          .command("abba")
                          .own(" lets them take turns."));
      }
    }
  }
  return out;
}

}  // namespace

void addOrderBlocks(const ReportModel& model, Document& out) {
  const auto& data = *model.data;
  std::vector<const ports::ReportStep*> steps;
  for (const auto& step : data.steps) {
    if (step.startedAt) steps.push_back(&step);
  }
  if (steps.empty()) return;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto* a, const auto* b) { return *a->startedAt < *b->startedAt; });
  append(out, Heading{2, "Order"});
  append(out,
         Paragraph{Line("Planned as ")
                       .command(model::toString(data.order))
                       .own(". When each step's last attempt began, by the database's clock:")});
  Table table{{{"Planned", Align::kRight},
               {"Runner"},
               {"Probe"},
               {"Trial", Align::kRight},
               {"Step"},
               {"Began", Align::kRight}},
              {}};
  for (const auto* step : steps) {
    if (table.rows.size() == kMostRows) break;
    table.rows.push_back({std::to_string(step->position + 1), Line::ofForeign(step->runner),
                          Line::ofForeign(step->probe), std::to_string(step->trial),
                          Line::ofForeign(step->stepName),
                          "+" + formatSpan(*step->startedAt - *steps.front()->startedAt)});
  }
  append(out, std::move(table));
  if (steps.size() > kMostRows) {
    append(out, Paragraph{std::to_string(steps.size() - kMostRows) +
                          " more steps; result.json has the times of all."});
  }
  for (auto& warning : apartInTime(model)) append(out, Paragraph{std::move(warning)});
}

}  // namespace fleetmark::coordinator::report
