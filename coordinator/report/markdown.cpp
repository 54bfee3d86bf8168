#include "coordinator/report/markdown.h"

#include <algorithm>
#include <cctype>

#include "coordinator/report/markdown_parts.h"
#include "coordinator/report/markdown_text.h"
#include "coordinator/report/text.h"

namespace fleetmark::coordinator::report {

namespace {

std::string directionOf(model::Better better) {
  return better == model::Better::kHigher ? "higher is better" : "lower is better";
}

std::string pinningText(Pinning pinning) {
  switch (pinning) {
    case Pinning::kPinned:
      return "pinned to one CPU";
    case Pinning::kUnpinned:
      return "not pinned: the thread may have moved between CPUs";
    case Pinning::kNotRecorded:
      return {};
  }
  FM_CHECK(false && "unknown pinning");
  return {};
}

std::string titleOf(const Section& section) {
  std::string out = escapeMarkdown(section.probe) + " " + codeOrText(section.fingerprint);
  if (section.pinning == Pinning::kPinned) out += ", pinned";
  if (section.pinning == Pinning::kUnpinned) out += ", unpinned";
  if (section.pinning == Pinning::kNotRecorded && section.severalPlacements) {
    out += ", placement not recorded";
  }
  return out;
}

std::string withUnit(const Column& column) {
  std::string label = escapeMarkdown(column.label);
  if (!label.empty())
    label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return column.scale.name.empty() ? label : label + ", " + std::string(column.scale.name);
}

std::string numberCell(const std::optional<double>& value, const Column& column) {
  return value ? formatScaled(*value, column.unit, column.scale) : std::string(kNoNumber);
}

std::string requestedText(const SampleCounts& counts) {
  return counts.requested ? formatCount(*counts.requested) : std::string(kNoNumber);
}

std::string countsCell(const SampleCounts& counts) {
  return formatCount(counts.completed) + " / " + formatCount(counts.attempted) + " / " +
         requestedText(counts);
}

// The columns that name a row, and their cells.
std::vector<MarkdownColumn> rowColumns(const Section& section) {
  std::vector<MarkdownColumn> out{{"Runner", Align::kLeft}};
  if (section.severalTrials) {
    out.push_back({"Trial", Align::kRight});
    out.push_back({"Step", Align::kLeft});
  }
  return out;
}

std::vector<std::string> rowCells(const Section& section, const StepRow& row) {
  std::vector<std::string> out{escapeMarkdown(row.step->runner)};
  if (section.severalTrials) {
    out.push_back(formatCount(row.step->trial));
    out.push_back(escapeMarkdown(row.step->stepName));
  }
  return out;
}

// A figure that isn't whole says so beside itself.
std::string headlineCell(const MetricRow& row, const Column& column) {
  std::string number = numberCell(row.median, column);
  if (row.status == RowStatus::kComplete) return number;
  return row.median ? number + " (" + formatCount(row.counts.completed) + " of " +
                          requestedText(row.counts) + ")"
                    : number;
}

std::string headlines(const ReportModel& model) {
  std::string out = "## Headlines\n\nMedians of the valid samples.\n\n";
  for (const auto& section : model.sections) {
    auto columns = rowColumns(section);
    for (const auto& column : section.columns) {
      if (column.headline) columns.push_back({withUnit(column), Align::kRight});
    }
    columns.push_back({"Status", Align::kLeft});
    std::vector<std::vector<std::string>> rows;
    for (const auto& step : section.steps) {
      auto cells = rowCells(section, step);
      for (std::size_t i = 0; i < section.columns.size(); ++i) {
        if (!section.columns[i].headline) continue;
        cells.push_back(headlineCell(step.metrics[i], section.columns[i]));
      }
      cells.emplace_back(toString(step.status));
      rows.push_back(std::move(cells));
    }
    out += "**" + titleOf(section) + "**\n\n" + markdownTable(columns, rows);
  }
  return out;
}

std::string metricTable(const Section& section, std::size_t index) {
  const auto& column = section.columns[index];
  auto any = [&](auto member) {
    return std::any_of(section.steps.begin(), section.steps.end(), [&](const StepRow& row) {
      return (row.metrics[index].*member).has_value();
    });
  };
  bool withP95 = any(&MetricRow::p95);
  bool withP99 = any(&MetricRow::p99);
  std::string unit = column.scale.name.empty() ? "" : ", " + std::string(column.scale.name);
  auto columns = rowColumns(section);
  columns.push_back({"Median" + unit, Align::kRight});
  columns.push_back({"Min\xE2\x80\x93max" + unit, Align::kRight});
  columns.push_back({"Variation, %", Align::kRight});
  if (withP95) columns.push_back({"p95" + unit, Align::kRight});
  if (withP99) columns.push_back({"p99" + unit, Align::kRight});
  columns.push_back({"Completed / attempted / requested", Align::kRight});
  columns.push_back({"Status", Align::kLeft});
  std::vector<std::vector<std::string>> rows;
  for (const auto& step : section.steps) {
    const auto& row = step.metrics[index];
    auto cells = rowCells(section, step);
    cells.push_back(numberCell(row.median, column));
    bool ranged = row.min && row.max;
    cells.push_back(
        ranged ? numberCell(row.min, column) + "\xE2\x80\x93" + numberCell(row.max, column) : "");
    std::string variation = row.cv ? formatVariation(*row.cv, 2) : "";
    if (variation.ends_with(" %")) variation.resize(variation.size() - 2);
    cells.push_back(variation);
    if (withP95) cells.push_back(numberCell(row.p95, column));
    if (withP99) cells.push_back(numberCell(row.p99, column));
    cells.push_back(countsCell(row.counts));
    cells.emplace_back(toString(row.status));
    rows.push_back(std::move(cells));
  }
  return markdownTable(columns, rows);
}

std::string sectionMarkdown(const Section& section) {
  std::string out = "## " + titleOf(section) + "\n\n";
  std::string pinning = pinningText(section.pinning);
  if (!pinning.empty()) out += "CPU placement: " + pinning + ".\n\n";
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    const auto& column = section.columns[i];
    out += "### " + escapeMarkdown(section.probe + ": " + column.label) + "\n\n";
    out += "Metric " + codeOrText(column.metric);
    if (!column.help.empty()) out += ": " + escapeMarkdown(column.help);
    out += "; " + directionOf(column.better) + ".\n\n" + metricTable(section, i);
  }
  return out;
}

std::string whereText(const ports::ReportStep& step) {
  std::string out = escapeMarkdown(step.runner) + " / " + escapeMarkdown(step.probe) + " " +
                    codeOrText(step.fingerprint);
  if (step.trial > 1) out += " / trial " + formatCount(step.trial);
  return out;
}

std::string gapsMarkdown(const ReportModel& model) {
  std::string out = "## What was not measured, and why\n\n";
  if (model.gaps.empty()) {
    return out + (model.data->steps.empty() ? "The campaign has no steps.\n\n"
                                            : "Everything requested was measured.\n\n");
  }
  for (const auto& gap : model.gaps) {
    out += "- **" + whereText(*gap.step);
    if (!gap.metric.empty()) out += " / " + escapeMarkdown(gap.metric);
    out += "** " + std::string(toString(gap.status));
    if (gap.why.empty()) out += ": no reason was recorded";
    for (std::size_t i = 0; i < gap.why.size(); ++i) {
      out += (i == 0 ? ": " : "; ") + escapeMarkdown(gap.why[i]);
    }
    out += "\n";
  }
  return out + "\n";
}

std::string noticesMarkdown(const ReportModel& model) {
  std::string notices;
  std::string failures;
  for (const auto& section : model.sections) {
    for (const auto& row : section.steps) {
      for (const auto& notice : row.step->notices) {
        notices += "- **" + whereText(*row.step) + " / " + escapeMarkdown(notice.stage) +
                   "**: " + escapeMarkdown(notice.message) + "\n";
      }
      for (const auto& failure : row.step->failedAttempts) {
        failures += "- **" + whereText(*row.step) + "**: " + escapeMarkdown(failure) + "\n";
      }
    }
  }
  std::string out = "## Notices\n\n" + (notices.empty() ? "None.\n" : notices) + "\n";
  if (!failures.empty()) {
    out +=
        "## Attempts that failed\n\n"
        "Infrastructure failed here and the step was tried again; nothing of these attempts is "
        "in the figures.\n\n" +
        failures + "\n";
  }
  return out;
}

std::string campaignMarkdown(const ReportModel& model) {
  const auto& data = *model.data;
  const auto& campaign = data.campaign;
  std::vector<std::vector<std::string>> rows;
  auto add = [&](std::string_view name, std::string text) {
    rows.push_back({std::string(name), std::move(text)});
  };
  add("Campaign",
      escapeMarkdown(campaign.name) + " (id " + std::to_string(campaign.id.value) + ")");
  if (!data.description.empty()) add("Description", escapeMarkdown(data.description));
  add("State", std::string(domain::toString(campaign.state)));
  std::string when = formatTime(campaign.submittedAt);
  if (campaign.finishedAt) {
    when += " to " + formatTime(*campaign.finishedAt) + " (" +
            formatSpan(*campaign.finishedAt - campaign.submittedAt) + ")";
  } else {
    when += ", not ended when this report was made";
  }
  add("Time", when);
  add("Order", std::string(model::toString(data.order)) + ", seed " + std::to_string(data.seed));
  add("Coordinator", "fleetmark " + escapeMarkdown(data.coordinatorVersion));
  std::vector<std::string> runners;
  for (const auto& runner : data.runners) {
    std::string text = escapeMarkdown(runner.name);
    if (!runner.labels.empty()) {
      text += " (" + escapeMarkdown(model::describeLabels(runner.labels)) + ")";
    }
    runners.push_back(std::move(text));
  }
  add("Runners", enumerate(runners));
  return markdownTable({{"What", Align::kLeft}, {"Value", Align::kLeft}}, rows);
}

std::string profilesMarkdown(const ReportModel& model) {
  if (model.profiles.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const auto& profile : model.profiles) {
    std::string words;
    for (const auto& parameter : profile.parameters) {
      words += (words.empty() ? "" : ", ") + parameter.name + " " + parameter.text;
    }
    rows.push_back({escapeMarkdown(profile.probe), std::to_string(profile.protocol),
                    codeOrText(profile.fingerprint), escapeMarkdown(words)});
  }
  return "Only figures under the same fingerprint were measured the same way and may be compared. "
         "It covers protocol and parameters; runner, provider and paths are outside it.\n\n" +
         markdownTable({{"Probe", Align::kLeft},
                        {"Protocol", Align::kRight},
                        {"Fingerprint", Align::kLeft},
                        {"Parameters", Align::kLeft}},
                       rows);
}

}  // namespace

std::string renderMarkdown(const ReportModel& model) {
  std::string title = model.title.empty() ? "Campaign without a name" : model.title;
  std::string out = "# " + escapeMarkdown(title) + "\n\n" + escapeMarkdown(model.answer) + "\n\n";
  for (const auto& runners : model.sharedMachines) {
    std::vector<std::string> names;
    for (const auto& name : runners) names.push_back(escapeMarkdown(name));
    out += "Same machine: " + enumerate(names) +
           " ran on one machine, one after another, so a difference between them is no difference "
           "of hardware.\n\n";
  }
  if (!model.sections.empty()) out += headlines(model);
  out += "## What was compared\n\n" + campaignMarkdown(model) + profilesMarkdown(model);
  for (const auto& section : model.sections) out += sectionMarkdown(section);
  out += gapsMarkdown(model) + noticesMarkdown(model) + orderMarkdown(model) +
         machinesMarkdown(model) + methodMarkdown(model) + reproduceMarkdown(model);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace fleetmark::coordinator::report
