#include "coordinator/report/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "common/stats/median_interval.h"
#include "coordinator/report/html_text.h"

namespace fleetmark::coordinator::report {

namespace {

constexpr double kLeftPercent = 2;  // room for half a dot and half a number at both ends
constexpr double kRightPercent = 96;
constexpr int kStripHeight = 44;    // px
constexpr int kLanes = 7;           // of jitter
constexpr int kSeriesHeight = 160;  // px
constexpr double kConfidence = 0.95;
// Marks in one 300th of the width and within 4 px are drawn once.
constexpr std::size_t kPlacesAcross = 300;
constexpr double kPlaceHeight = 4;
constexpr std::size_t kMostTitles = 2000;  // of a step's dots, with the exact value to hover

struct Dot {
  double shown = 0;
  std::uint32_t index = 0;
  model::Verdict verdict = model::Verdict::kOk;
  const model::Sample* sample = nullptr;
};

struct Strip {
  const StepRow* step = nullptr;
  std::vector<Dot> dots;      // by index, those with a finite value
  std::vector<double> valid;  // sorted, shown units
  std::size_t withoutValue = 0;
};

std::string number(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f", value);
  std::string out = buffer.data();
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

double placeOf(double shown, const Axis& axis) {
  double share = (shown - axis.low) / (axis.high - axis.low);
  return kLeftPercent + share * (kRightPercent - kLeftPercent);
}

std::string percentOf(double shown, const Axis& axis) { return number(placeOf(shown, axis)) + "%"; }

std::vector<Strip> stripsOf(const Section& section, std::size_t column) {
  std::vector<Strip> out;
  double factor = section.columns[column].scale.factor;
  for (const auto& step : section.steps) {
    Strip strip;
    strip.step = &step;
    if (const auto* source = step.metrics[column].source) {
      for (const auto& sample : source->samples) {
        double shown = sample.value ? *sample.value * factor : NAN;
        if (!std::isfinite(shown)) {
          ++strip.withoutValue;
          continue;
        }
        strip.dots.push_back({shown, sample.index, sample.verdict, &sample});
        if (sample.verdict == model::Verdict::kOk) strip.valid.push_back(shown);
      }
    }
    std::sort(strip.valid.begin(), strip.valid.end());
    out.push_back(std::move(strip));
  }
  return out;
}

// Spread over the lanes so that neighbours in time are apart; the same for the same index.
int laneOf(std::uint32_t index) { return static_cast<int>(index * 3U % kLanes); }

std::string titleOf(const Dot& dot, const Column& column) {
  std::string out = "sample " + std::to_string(dot.index) + ": " +
                    formatScaled(*dot.sample->value, column.unit, column.scale);
  if (!column.scale.name.empty()) out += " " + std::string(column.scale.name);
  if (dot.verdict != model::Verdict::kOk) {
    out += ", " + std::string(model::toString(dot.verdict));
    for (const auto& reason : dot.sample->reasons) out += "; " + reason;
  }
  return "<title>" + escapeHtml(out) + "</title>";
}

// Draws each place once; where valid and other samples meet, both are drawn.
class Marks {
 public:
  bool isNew(double across, double down, model::Verdict verdict) {
    auto x = static_cast<std::size_t>(std::clamp(across / 100, 0.0, 1.0) * kPlacesAcross);
    auto y = static_cast<std::size_t>(std::clamp(down / kPlaceHeight, 0.0, kPlacesDown - 1.0));
    std::size_t place = (x * kPlacesDown + y) * 2 + (verdict == model::Verdict::kOk ? 1 : 0);
    if (seen_[place]) return false;
    seen_[place] = true;
    return true;
  }

 private:
  static constexpr std::size_t kPlacesDown = kSeriesHeight;
  std::vector<bool> seen_ = std::vector<bool>((kPlacesAcross + 1) * kPlacesDown * 2);
};

std::string dotAt(const Dot& dot, double across, double down, const Column& column, bool titled) {
  std::string out = "<circle cx=\"" + number(across) + "%\" cy=\"" + number(down) + "\" r=\"4\"";
  out += dot.verdict == model::Verdict::kOk ? " class=\"ok\"" : " class=\"bad\"";
  return titled ? out + ">" + titleOf(dot, column) + "</circle>" : out + "/>";
}

std::string lineFrom(double x1, double y1, double x2, double y2, std::string_view kind) {
  return "<line x1=\"" + number(x1) + "%\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
         "%\" y2=\"" + number(y2) + "\" class=\"" + std::string(kind) + "\"/>";
}

std::string gridLines(const Axis& axis, int height) {
  std::string out;
  for (double tick : axis.ticks) {
    double at = placeOf(tick, axis);
    out += lineFrom(at, 0, at, height, "grid");
  }
  return out;
}

std::string stripSvg(const Strip& strip, const Column& column, const Axis& axis) {
  std::string out = "<svg height=\"" + std::to_string(kStripHeight) + "\" aria-hidden=\"true\">" +
                    gridLines(axis, kStripHeight);
  Marks marks;
  double lane = (kStripHeight - 12.0) / (kLanes - 1);
  for (const auto& dot : strip.dots) {
    double across = placeOf(dot.shown, axis);
    double down = 6 + lane * laneOf(dot.index);
    if (!marks.isNew(across, down, dot.verdict)) continue;
    out += dotAt(dot, across, down, column, strip.dots.size() <= kMostTitles);
  }
  double middle = kStripHeight / 2.0;
  if (auto interval = stats::medianInterval(strip.valid, kConfidence)) {
    double low = placeOf(interval->low, axis);
    double high = placeOf(interval->high, axis);
    out += lineFrom(low, middle, high, middle, "whisker");
    out += lineFrom(low, middle - 6, low, middle + 6, "whisker");
    out += lineFrom(high, middle - 6, high, middle + 6, "whisker");
  }
  if (!strip.valid.empty()) {
    const auto& v = strip.valid;
    double median = (v[(v.size() - 1) / 2] + v[v.size() / 2]) / 2;
    double at = placeOf(median, axis);
    out += lineFrom(at, 3, at, kStripHeight - 3, "median");
  }
  return out + "</svg>";
}

std::string labelOf(const Section& section, const Strip& strip, std::size_t column) {
  const auto& step = *strip.step->step;
  std::string out = "<span class=\"who\">" + escapeHtml(step.runner);
  if (section.severalTrials) {
    out += " \xC2\xB7 trial " + std::to_string(step.trial);
    if (!step.stepName.empty()) out += " \xC2\xB7 " + escapeHtml(step.stepName);
  }
  out += "</span><span class=\"n\">n = " + formatCount(strip.valid.size());
  const auto& row = strip.step->metrics[column];
  if (row.counts.requested) out += " of " + formatCount(*row.counts.requested);
  out += ", " + std::string(toString(row.status));
  if (strip.withoutValue > 0) out += ", " + formatCount(strip.withoutValue) + " without a value";
  return out + "</span>";
}

std::string tickText(double tick) { return tick == 0 ? "0" : formatNumber(tick); }

std::string axisSvg(const Axis& axis) {
  std::string out = "<svg height=\"26\" aria-hidden=\"true\">";
  for (double tick : axis.ticks) {
    out += lineFrom(placeOf(tick, axis), 0, placeOf(tick, axis), 5, "axis") + "<text x=\"" +
           percentOf(tick, axis) + "\" y=\"21\" text-anchor=\"middle\">" +
           escapeHtml(tickText(tick)) + "</text>";
  }
  return out + "</svg>";
}

std::string captionOf(const Column& column) {
  std::string unit(column.scale.name);
  return (unit.empty() ? "" : escapeHtml(unit) + ", ") +
         (column.better == model::Better::kHigher ? "higher is better" : "lower is better");
}

// The samples of a step in their order. Its axis need not begin at zero: it is there to show drift.
std::string seriesHtml(const Section& section, const Strip& strip, std::size_t columnIndex) {
  if (strip.dots.size() < 2) return {};
  const auto& column = section.columns[columnIndex];
  auto [least, greatest] =
      std::minmax_element(strip.dots.begin(), strip.dots.end(),
                          [](const Dot& a, const Dot& b) { return a.shown < b.shown; });
  double span = greatest->shown - least->shown;
  if (span <= 0) span = std::max(std::abs(least->shown), 1.0) * 0.01;
  auto [first, last] =
      std::minmax_element(strip.dots.begin(), strip.dots.end(),
                          [](const Dot& a, const Dot& b) { return a.index < b.index; });
  Axis axis{static_cast<double>(first->index), static_cast<double>(last->index), {}};
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  std::string out = "<div class=\"row\"><div class=\"label\">" +
                    labelOf(section, strip, columnIndex) + "<span class=\"n\">from " +
                    escapeHtml(formatNumber(least->shown)) + " to " +
                    escapeHtml(formatNumber(greatest->shown)) + "</span></div><svg height=\"" +
                    std::to_string(kSeriesHeight) + "\" aria-hidden=\"true\">" +
                    lineFrom(0, kSeriesHeight - 1, 100, kSeriesHeight - 1, "grid");
  Marks marks;
  for (const auto& dot : strip.dots) {
    double across = placeOf(dot.index, axis);
    double down = 8 + (greatest->shown - dot.shown) / span * (kSeriesHeight - 18);
    if (!marks.isNew(across, down, dot.verdict)) continue;
    out += dotAt(dot, across, down, column, strip.dots.size() <= kMostTitles);
  }
  return out + "</svg></div>";
}

}  // namespace

Axis axisOver(double least, double greatest) {
  Axis out{std::min(least, 0.0), std::max(greatest, 0.0), {}};
  if (out.high <= out.low) out.high = out.low + 1;
  // The step is 1, 2 or 5 times a power of ten, the largest that leaves at least four marks.
  double rough = (out.high - out.low) / 4;
  double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (double factor : {2.0, 5.0}) {
    if (factor * power <= rough) step = factor * power;
  }
  auto from = static_cast<std::int64_t>(std::ceil(out.low / step - 1e-9));
  auto to = static_cast<std::int64_t>(std::floor(out.high / step + 1e-9));
  for (std::int64_t i = from; i <= to; ++i) out.ticks.push_back(static_cast<double>(i) * step);
  return out;
}

std::string chartHtml(const Section& section, std::size_t column) {
  auto strips = stripsOf(section, column);
  double least = 0;
  double greatest = 0;
  bool any = false;
  for (const auto& strip : strips) {
    for (const auto& dot : strip.dots) {
      least = std::min(least, dot.shown);
      greatest = std::max(greatest, dot.shown);
      any = true;
    }
  }
  if (!any) return {};
  Axis axis = axisOver(least, greatest);
  const auto& about = section.columns[column];
  std::string out =
      "<figure><figcaption>" + escapeHtml(about.label) + ", " + captionOf(about) + "</figcaption>";
  std::string series;
  for (const auto& strip : strips) {
    out += "<div class=\"row\"><div class=\"label\">" + labelOf(section, strip, column) + "</div>" +
           stripSvg(strip, about, axis) + "</div>";
    series += seriesHtml(section, strip, column);
  }
  out += "<div class=\"row\"><div class=\"label\"></div>" + axisSvg(axis) + "</div>";
  if (!series.empty()) {
    out +=
        "<details><summary>Samples in the order they were taken</summary><p class=\"n\">Each "
        "drawing has its own scale, which does not begin at zero.</p>" +
        series + "</details>";
  }
  return out + "</figure>\n";
}

}  // namespace fleetmark::coordinator::report
