// Headlines and the tables of each probe.
#include <algorithm>
#include <cctype>

#include "common/base/check.h"
#include "coordinator/report/document_parts.h"

namespace fleetmark::coordinator::report {

namespace {

// Who was at the other end, for probes whose profile has a URL.
Line serverLine(const Section& section) {
  if (section.steps.empty()) return {};
  const auto& step = *section.steps.front().step;
  auto find = [](const std::string& json, std::string_view name) {
    for (auto& parameter : parametersInWords(json)) {
      if (parameter.name == name) return parameter.text;
    }
    return std::string();
  };
  const std::string url = find(step.paramsJson, "url");
  if (url.empty()) return {};
  const std::string name = find(step.placementJson, "name");
  Line out("Server: ");
  if (!name.empty()) out.foreign(name).own(", ");
  out.code(url).own(".");
  return out;
}

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

Line titleOf(const Section& section) {
  Line out = Line::ofForeign(section.probe).own(" ").code(section.fingerprint);
  if (section.pinning == Pinning::kPinned) out.own(", pinned");
  if (section.pinning == Pinning::kUnpinned) out.own(", unpinned");
  if (section.pinning == Pinning::kNotRecorded && section.severalPlacements) {
    out.own(", placement not recorded");
  }
  return out;
}

Line withUnit(const Column& column) {
  std::string label = column.label;
  if (!label.empty())
    label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  Line out = Line::ofForeign(label);
  if (!column.scale.name.empty()) out.own(", " + std::string(column.scale.name));
  return out;
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
std::vector<TableColumn> rowColumns(const Section& section) {
  std::vector<TableColumn> out{{"Runner"}};
  if (section.severalTrials) {
    out.push_back({"Trial", Align::kRight});
    out.push_back({"Step"});
  }
  return out;
}

std::vector<Line> rowCells(const Section& section, const StepRow& row) {
  std::vector<Line> out{Line::ofForeign(row.step->runner)};
  if (section.severalTrials) {
    out.emplace_back(formatCount(row.step->trial));
    out.push_back(Line::ofForeign(row.step->stepName));
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

Table metricTable(const Section& section, std::size_t index) {
  const auto& column = section.columns[index];
  auto any = [&](auto member) {
    return std::any_of(section.steps.begin(), section.steps.end(), [&](const StepRow& row) {
      return (row.metrics[index].*member).has_value();
    });
  };
  bool withP95 = any(&MetricRow::p95);
  bool withP99 = any(&MetricRow::p99);
  std::string unit = column.scale.name.empty() ? "" : ", " + std::string(column.scale.name);
  Table out{rowColumns(section), {}};
  auto right = [&](const std::string& title) { out.columns.push_back({title, Align::kRight}); };
  right("Median" + unit);
  right("Min\xE2\x80\x93max" + unit);
  right("Variation, %");
  if (withP95) right("p95" + unit);
  if (withP99) right("p99" + unit);
  right("Completed / attempted / requested");
  out.columns.push_back({"Status"});
  for (const auto& step : section.steps) {
    const auto& row = step.metrics[index];
    auto cells = rowCells(section, step);
    cells.emplace_back(numberCell(row.median, column));
    bool ranged = row.min && row.max;
    cells.emplace_back(
        ranged ? numberCell(row.min, column) + "\xE2\x80\x93" + numberCell(row.max, column) : "");
    std::string variation = row.cv ? formatVariation(*row.cv, 2) : "";
    if (variation.ends_with(" %")) variation.resize(variation.size() - 2);
    cells.emplace_back(variation);
    if (withP95) cells.emplace_back(numberCell(row.p95, column));
    if (withP99) cells.emplace_back(numberCell(row.p99, column));
    cells.emplace_back(countsCell(row.counts));
    cells.emplace_back(toString(row.status));
    out.rows.push_back(std::move(cells));
  }
  return out;
}

}  // namespace

void addHeadlineBlocks(const ReportModel& model, Document& out) {
  append(out, Heading{2, "Headlines"});
  append(out, Paragraph{"Medians of the valid samples."});
  for (const auto& section : model.sections) {
    Table table{rowColumns(section), {}};
    for (const auto& column : section.columns) {
      if (column.headline) table.columns.push_back({withUnit(column), Align::kRight});
    }
    table.columns.push_back({"Status"});
    for (const auto& step : section.steps) {
      auto cells = rowCells(section, step);
      for (std::size_t i = 0; i < section.columns.size(); ++i) {
        if (!section.columns[i].headline) continue;
        cells.emplace_back(headlineCell(step.metrics[i], section.columns[i]));
      }
      cells.emplace_back(toString(step.status));
      table.rows.push_back(std::move(cells));
    }
    append(out, Paragraph{Line().strong(titleOf(section))});
    append(out, std::move(table));
  }
}

void addSectionBlocks(const ReportModel& model, Document& out) {
  for (const auto& section : model.sections) {
    append(out, Heading{2, titleOf(section)});
    Line server = serverLine(section);
    if (!server.empty()) append(out, Paragraph{std::move(server)});
    std::string pinning = pinningText(section.pinning);
    if (!pinning.empty()) append(out, Paragraph{"CPU placement: " + pinning + "."});
    for (std::size_t i = 0; i < section.columns.size(); ++i) {
      const auto& column = section.columns[i];
      append(out, Heading{3, Line::ofForeign(section.probe + ": " + column.label)});
      Line about = Line("Metric ").code(column.metric);
      if (!column.help.empty()) about.own(": ").foreign(column.help);
      append(out, Paragraph{about.own("; " + directionOf(column.better) + ".")});
      append(out, Chart{&section, i});
      append(out, metricTable(section, i));
    }
  }
}

}  // namespace fleetmark::coordinator::report
