#include "coordinator/report/terminal.h"

#include <algorithm>
#include <array>

#include "common/probes/spec.h"
#include "coordinator/report/text.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::report {

namespace {

using domain::StepState;
using ports::StepStatus;

constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kLongestName = 28;
constexpr std::size_t kLeastName = 4;
constexpr std::size_t kLeastRemark = 8;
constexpr std::size_t kCells = 6;
constexpr std::string_view kGap = "   ";
constexpr std::string_view kIndent = "  ";

enum class Mood { kGood, kNeutral, kWarning, kBad };

struct Word {
  std::string_view text;
  Mood mood;
};

Word stateWord(const StepStatus& step) {
  switch (step.state) {
    case StepState::kBlocked:
      return {"blocked", Mood::kNeutral};
    case StepState::kReady:
      return {"waiting", Mood::kNeutral};
    case StepState::kLeased:
      return {"running", Mood::kNeutral};
    case StepState::kMeasured:
      return step.samplesOk >= step.samplesRequested ? Word{"done", Mood::kGood}
                                                     : Word{"incomplete", Mood::kWarning};
    case StepState::kFailed:
      return {"failed", Mood::kBad};
    case StepState::kLost:
      return {"lost", Mood::kBad};
    case StepState::kCancelled:
      return {"cancelled", Mood::kWarning};
  }
  FM_CHECK(false && "unknown step state");
  return {};
}

std::string_view ansi(Mood mood) {
  switch (mood) {
    case Mood::kGood:
      return "\x1b[32m";
    case Mood::kNeutral:
      return "";
    case Mood::kWarning:
      return "\x1b[33m";
    case Mood::kBad:
      return "\x1b[31m";
  }
  FM_CHECK(false && "unknown mood");
  return {};
}

std::string headline(const StepStatus& step) {
  if (!step.headlineValue) return {};
  const auto* spec = probes::findSpec(step.probe);
  const auto* metric = spec == nullptr ? nullptr : spec->metric(step.headlineMetric);
  return formatValue(*step.headlineValue, metric == nullptr ? model::Unit::kCount : metric->unit);
}

struct Line {
  std::array<std::string, kCells> cells;  // runner, probe, state, figure, variation, samples
  Mood mood = Mood::kNeutral;
  std::string remark;  // why it waits or failed
};

Line makeLine(const StepStatus& step) {
  Line line;
  Word word = stateWord(step);
  line.mood = word.mood;
  line.cells[0] = shorten(oneLine(step.runner), kLongestName);
  line.cells[1] = shorten(oneLine(step.probe), kLongestName);
  if (step.stepName != "measure" && !step.stepName.empty()) {
    line.cells[1] += " " + shorten(oneLine(step.stepName), kLongestName);
  }
  if (step.trial > 1) line.cells[1] += " #" + std::to_string(step.trial);
  line.cells[2] = word.text;
  bool ended = domain::StepState::kMeasured == step.state || step.samplesSeen > 0;
  if (ended) {
    line.cells[3] = headline(step);
    if (step.headlineCv && step.samplesOk > 1) {
      line.cells[4] = "CV " + formatVariation(*step.headlineCv, 1);
    }
    line.cells[5] = formatCount(step.samplesOk) + "/" + formatCount(step.samplesRequested);
    if (line.cells[3].empty()) line.cells[3] = kNoNumber;
  }
  bool running = step.state == StepState::kLeased;
  line.remark = oneLine(running                ? step.progress
                        : step.message.empty() ? step.waiting
                                               : step.message);
  return line;
}

enum class Side { kLeft, kRight };

std::string padded(const std::string& text, std::size_t width, Side side) {
  std::size_t used = columns(text);
  std::string space(width > used ? width - used : 0, ' ');
  return side == Side::kRight ? space + text : text + space;
}

using Widths = std::array<std::size_t, kCells>;

std::size_t lineWidth(const Widths& widths, std::size_t gap) {
  std::size_t total = 0;
  for (std::size_t cell : widths) total += cell == 0 ? 0 : cell + gap;
  return total == 0 ? kIndent.size() : kIndent.size() + total - gap;
}

// Narrows what can be narrowed, in this order: the runner's name, the gaps, the variation.
// Answers the gap between cells.
std::string fit(Widths& widths, std::size_t width) {
  std::size_t gap = kGap.size();
  std::size_t total = lineWidth(widths, gap);
  if (total > width)
    widths[0] -= std::min(total - width, widths[0] - std::min(widths[0], kLeastName));
  if (lineWidth(widths, gap) > width) gap = 1;
  if (lineWidth(widths, gap) > width) widths[4] = 0;
  return std::string(gap, ' ');
}

}  // namespace

std::string stepLines(const std::vector<StepStatus>& steps, const TerminalStyle& style) {
  std::vector<Line> lines;
  Widths widths{};
  for (const auto& step : steps) {
    lines.push_back(makeLine(step));
    for (std::size_t i = 0; i < kCells; ++i) {
      widths[i] = std::max(widths[i], columns(lines.back().cells[i]));
    }
  }
  std::size_t width = std::max(style.width, kLeastWidth);
  std::string gap = fit(widths, width);
  std::string out;
  for (auto& line : lines) {
    line.cells[0] = shorten(line.cells[0], widths[0]);
    std::string text(kIndent);
    std::size_t used = kIndent.size();  // columns, without colour codes
    std::size_t last = 0;
    for (std::size_t i = 0; i < kCells; ++i) {
      if (!line.cells[i].empty()) last = i;
    }
    for (std::size_t i = 0; i <= last; ++i) {
      if (widths[i] == 0) continue;
      if (i > 0) text += gap;
      std::string cell = padded(line.cells[i], widths[i], i >= 3 ? Side::kRight : Side::kLeft);
      used += columns(cell) + (i > 0 ? gap.size() : 0);
      std::string_view code = style.colour == Colour::kAnsi && i == 2 ? ansi(line.mood) : "";
      text += std::string(code) + cell + (code.empty() ? "" : "\x1b[0m");
    }
    if (!line.remark.empty() && used + gap.size() + kLeastRemark <= width) {
      text += gap + shorten(line.remark, width - used - gap.size());
    }
    while (text.ends_with(' ')) text.pop_back();
    out += text + "\n";
  }
  return out;
}

std::string totalsLine(const ports::CampaignSummary& campaign) {
  auto count = [](std::uint32_t n) { return formatCount(n); };
  constexpr std::string_view kDot = " \xC2\xB7 ";
  std::string out =
      count(campaign.stepsMeasured) + " of " + count(campaign.stepsTotal) + " measured";
  auto add = [&](std::uint32_t n, std::string_view word) {
    if (n > 0) out += std::string(kDot) + count(n) + " " + std::string(word);
  };
  add(campaign.stepsRunning, "running");
  add(campaign.stepsFailed, "failed");
  add(campaign.stepsLost, "lost");
  add(campaign.stepsCancelled, "cancelled");
  add(campaign.samplesInvalid,
      campaign.samplesInvalid == 1 ? "sample not valid" : "samples not valid");
  if (campaign.paused) out += std::string(kDot) + "paused";
  if (campaign.finishedAt) {
    out += std::string(kDot) + formatSpan(*campaign.finishedAt - campaign.submittedAt);
  }
  return out;
}

std::string terminalSummary(const ports::CampaignSummary& campaign,
                            const std::vector<StepStatus>& steps, const TerminalStyle& style) {
  return stepLines(steps, style) + totalsLine(campaign) + "\n";
}

}  // namespace fleetmark::coordinator::report
