#include "coordinator/compare/words.h"

#include <algorithm>

#include "common/model/words.h"
#include "common/stats/mann_whitney.h"
#include "coordinator/report/text.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::compare {

namespace {

constexpr model::Words<stats::Verdict, 4> kVerdicts{{{
    {stats::Verdict::kFaster, "faster"},
    {stats::Verdict::kSlower, "slower"},
    {stats::Verdict::kSame, "same"},
    {stats::Verdict::kCannotTell, "cannot_tell"},
}}};

constexpr model::Words<stats::Doubt, 9> kDoubts{{{
    {stats::Doubt::kNone, "none"},
    {stats::Doubt::kNoValue, "incomplete"},
    {stats::Doubt::kNotPositive, "not_positive"},
    {stats::Doubt::kTooFew, "n_too_small"},
    {stats::Doubt::kOneInstance, "one_instance"},
    {stats::Doubt::kVariation, "cv_too_high"},
    {stats::Doubt::kTable, "not_in_table"},
    {stats::Doubt::kInsideBand, "perhaps_within_band"},
    {stats::Doubt::kWideInterval, "interval_too_wide"},
}}};

constexpr model::Words<Refusal, 5> kRefusals{{{
    {Refusal::kNone, "none"},
    {Refusal::kProfiles, "fingerprints_differ"},
    {Refusal::kMachines, "cpu_models_differ"},
    {Refusal::kPlacement, "placement_differs"},
    {Refusal::kMeaning, "metric_differs"},
}}};

std::string modelsInWords(const std::vector<std::string>& models) {
  std::vector<std::string> names;
  for (const auto& name : models) {
    names.push_back(name.empty() ? "not known" : report::oneLine(name));
  }
  return names.empty() ? "none" : report::enumerate(names);
}

std::string refusalClause(const Row& row) {
  switch (row.refusal) {
    case Refusal::kNone:
      return {};
    case Refusal::kProfiles:
      return "fingerprints differ (" + report::oneLine(row.fingerprintA) + " and " +
             report::oneLine(row.fingerprintB) + "); --across-profiles compares all the same";
    case Refusal::kMachines:
      return "CPU models differ (A: " + modelsInWords(row.cpuModelsA) +
             "; B: " + modelsInWords(row.cpuModelsB) + "); --across-machines compares all the same";
    case Refusal::kPlacement:
      return "one side was pinned to a CPU and the other was not, or did not say; such figures are "
             "never compared";
    case Refusal::kMeaning:
      return "unit or direction of the metric differ";
  }
  return {};
}

std::string sizes(const stats::Comparison& figures) {
  bool byInstance = figures.unit == stats::SamplingUnit::kInstance;
  return report::formatCount(figures.a.n) + " and " + report::formatCount(figures.b.n) +
         (byInstance ? " instances" : " samples");
}

std::string tooFewClause(const stats::Comparison& figures, const Options& options,
                         std::size_t tested) {
  std::string out = "n too small: " + sizes(figures);
  if (std::min(figures.a.n, figures.b.n) < stats::kLeastToDecide) {
    return out + ", at least " + std::to_string(stats::kLeastToDecide) + " a side are needed";
  }
  if (figures.interval && figures.interval->confidence < options.stats.confidence) {
    return out + " reach no interval of " + report::formatVariation(options.stats.confidence, 0);
  }
  return out + " have p = " + report::formatNumber(stats::smallestP(figures.a.n, figures.b.n)) +
         " at best, too large in a table of " + report::formatCount(tested);
}

std::string variationClause(const stats::Comparison& figures, const Options& options) {
  auto say = [](std::optional<double> cv) {
    return cv ? report::formatVariation(*cv, 1) : std::string(report::kNoNumber);
  };
  return "CV too high: " + say(figures.a.cv) + " and " + say(figures.b.cv) + ", with fewer than " +
         std::to_string(stats::kLeastForAnyVariation) + " values at most " +
         report::formatVariation(options.stats.mostVariation, 0);
}

}  // namespace

std::string_view toString(stats::Verdict verdict) { return kVerdicts.word(verdict); }
std::string_view toString(stats::Doubt doubt) { return kDoubts.word(doubt); }
std::string_view toString(Refusal refusal) { return kRefusals.word(refusal); }

std::string_view toString(stats::SamplingUnit unit) {
  return unit == stats::SamplingUnit::kInstance ? "instance" : "sample";
}

std::string clauseOf(const Row& row, const Options& options, std::size_t tested) {
  if (row.refusal != Refusal::kNone) return refusalClause(row);
  const auto& figures = row.figures;
  switch (row.judgement.doubt) {
    case stats::Doubt::kNone:
      return {};
    case stats::Doubt::kNoValue:
      if (figures.a.n == 0 && figures.b.n == 0)
        return "incomplete: neither side has a complete result";
      return std::string("incomplete: ") + (figures.a.n == 0 ? "A" : "B") +
             " has no complete result";
    case stats::Doubt::kNotPositive:
      return "a value of zero or less has no ratio";
    case stats::Doubt::kTooFew:
      return tooFewClause(figures, options, tested);
    case stats::Doubt::kOneInstance:
      return "one side has one instance, the other " +
             report::formatCount(std::max(figures.a.instances, figures.b.instances)) +
             ": how machines of the first differ isn't known";
    case stats::Doubt::kVariation:
      return variationClause(figures, options);
    case stats::Doubt::kTable:
      return "p is small by itself, but not in a table of " + report::formatCount(tested);
    case stats::Doubt::kInsideBand:
      return "they differ, but perhaps by less than " +
             report::formatVariation(options.stats.band, 1);
    case stats::Doubt::kWideInterval:
      return "interval too wide: neither a difference nor its absence is shown";
  }
  return {};
}

std::string labelOf(const std::string& probe, std::string metric) {
  if (metric.size() > 5 && metric.ends_with("_rate")) metric.resize(metric.size() - 5);
  if (metric == probe) return probe + " rate";
  if (metric.starts_with(probe + "_")) metric.erase(0, probe.size() + 1);
  std::replace(metric.begin(), metric.end(), '_', ' ');
  return report::oneLine(probe + " " + metric);
}

}  // namespace fleetmark::coordinator::compare
