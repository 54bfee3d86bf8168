#include <algorithm>
#include <array>
#include <cstdio>

#include "coordinator/compare/output.h"
#include "coordinator/report/text.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::compare {

namespace {

enum class Align { kLeft, kRight };

struct Cell {
  std::string text;
  Align align = Align::kRight;
};

using Line = std::vector<Cell>;

std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], report::columns(line[i].text));
    }
  }
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      std::string pad(widths[i] - report::columns(line[i].text), ' ');
      if (i > 0) text += "  ";
      text += line[i].align == Align::kLeft ? line[i].text + pad : pad + line[i].text;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string none() { return std::string(report::kNoNumber); }

std::string ratioText(double ratio) {
  if (ratio >= 100 || ratio < 0.01) return report::formatNumber(ratio);
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3f", ratio);
  return buffer.data();
}

std::string pText(double p) {
  if (p < 0.0001) return "<0.0001";
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.4f", p);
  return buffer.data();
}

std::string intervalText(const stats::Interval& interval, double asked) {
  std::string out = ratioText(interval.low) + " .. " + ratioText(interval.high);
  if (interval.confidence < asked) {
    out += " (" + report::formatVariation(interval.confidence, 0) + ")";
  }
  return out;
}

std::string verdictText(const Row& row) {
  switch (row.judgement.verdict) {
    case stats::Verdict::kFaster:
      return "B faster";
    case stats::Verdict::kSlower:
      return "B slower";
    case stats::Verdict::kSame:
      return "same";
    case stats::Verdict::kCannotTell:
      return "cannot tell";
  }
  return {};
}

std::string runnerText(const Row& row) {
  std::string out = report::oneLine(row.runnerA);
  if (row.runnerA != row.runnerB) out += " / " + report::oneLine(row.runnerB);
  return report::shorten(out, 40);
}

std::string metricText(const Row& row) {
  return row.label + (row.step.empty() ? "" : ", " + report::oneLine(row.step));
}

Line tableLine(const Row& row, const Options& options) {
  const auto& figures = row.figures;
  auto scale = report::displayUnit(row.unit, figures.a.median.value_or(0));
  auto value = [&](const stats::SideFigures& side) {
    return side.median ? report::formatScaled(*side.median, row.unit, scale) : none();
  };
  return {{runnerText(row), Align::kLeft},
          {metricText(row), Align::kLeft},
          {std::string(scale.name), Align::kLeft},
          {value(figures.a)},
          {value(figures.b)},
          {report::formatCount(figures.a.n) + "/" + report::formatCount(figures.b.n)},
          {figures.ratio ? ratioText(*figures.ratio) : none()},
          {figures.interval ? intervalText(*figures.interval, options.stats.confidence) : none()},
          {figures.pHolm ? pText(*figures.pHolm) : none()},
          {verdictText(row), Align::kLeft}};
}

std::string sideLine(const char* side, const ResultFile& file, const std::string& runner) {
  return std::string(side) + "  " + report::oneLine(file.origin) + "  campaign " +
         report::oneLine(file.campaign) + " (" + std::to_string(file.campaignId) + ")" +
         (runner.empty() ? "" : ", runner " + report::oneLine(runner)) + "\n";
}

std::string leftOutText(const LeftOut& left) {
  std::string out = left.side + " " + left.runner + " " + left.probe;
  if (left.trial > 1) out += " trial " + std::to_string(left.trial);
  if (left.step != "measure" && !left.step.empty()) out += " " + left.step;
  out += ", " + left.metric + ": " + left.status + ", " + report::formatCount(left.completed);
  if (left.requested) out += " of " + report::formatCount(*left.requested);
  return report::oneLine(out + " valid samples");
}

// A heading and one indented line for each; nothing at all for none.
std::string listText(const std::string& heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string out = "\n" + heading + "\n";
  for (const auto& line : lines) out += "  " + line + "\n";
  return out;
}

std::string totalsText(const Comparison& comparison) {
  std::array<std::size_t, 4> counts{};
  for (const auto& row : comparison.rows) ++counts[static_cast<std::size_t>(row.judgement.verdict)];
  auto count = [&](stats::Verdict verdict, const char* words) {
    return report::formatCount(counts[static_cast<std::size_t>(verdict)]) + words;
  };
  const auto& stats = comparison.options.stats;
  return "\nB beside A: " + count(stats::Verdict::kFaster, " faster, ") +
         count(stats::Verdict::kSlower, " slower, ") +
         count(stats::Verdict::kSame, " the same within ") +
         report::formatVariation(stats.band, 1) + ", " +
         count(stats::Verdict::kCannotTell, " can't be told") + ".\n" +
         "Ratio by Hodges and Lehmann, " + report::formatVariation(stats.confidence, 0) +
         " interval, p by Mann and Whitney after Holm over " +
         report::formatCount(comparison.tested) + (comparison.tested == 1 ? " row" : " rows") +
         "; docs/comparing.md says what a verdict means.\n";
}

}  // namespace

std::string comparisonText(const Comparison& comparison) {
  const auto& options = comparison.options;
  std::vector<Line> lines;
  lines.push_back({{"runner", Align::kLeft},
                   {"metric", Align::kLeft},
                   {"unit", Align::kLeft},
                   {"A"},
                   {"B"},
                   {"n"},
                   {"B/A"},
                   {"interval"},
                   {"p"},
                   {"verdict", Align::kLeft}});
  std::vector<std::string> doubts;
  for (const auto& row : comparison.rows) {
    lines.push_back(tableLine(row, options));
    if (!row.reason.empty()) {
      doubts.push_back(runnerText(row) + " " + metricText(row) + ": " + row.reason);
    }
  }
  std::vector<std::string> leftOut;
  for (const auto& left : comparison.leftOut) leftOut.push_back(leftOutText(left));
  return sideLine("A", comparison.a, comparison.runnerA) +
         sideLine("B", comparison.b, comparison.runnerB) + "\n" + aligned(lines) +
         listText("Cannot tell:", doubts) +
         listText("Left out, since it isn't complete:", leftOut) +
         listText("Not compared:", comparison.unmatched) + listText("Note:", comparison.notes) +
         totalsText(comparison);
}

}  // namespace fleetmark::coordinator::compare
