#include "coordinator/report/report_model.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/probes/spec.h"
#include "coordinator/report/model_parts.h"

namespace fleetmark::coordinator::report {

namespace {

constexpr std::size_t kMostCauses = 5;

struct Group {
  std::string probe;
  std::string fingerprint;
  std::vector<const ports::ReportStep*> steps;
};

std::vector<Group> groupSteps(const ports::ReportData& data) {
  std::map<std::string, std::size_t> runnerRank;
  for (const auto& runner : data.runners) runnerRank.emplace(runner.name, runnerRank.size());
  auto rank = [&](const std::string& name) {
    auto found = runnerRank.find(name);
    return found == runnerRank.end() ? runnerRank.size() : found->second;
  };
  std::vector<Group> groups;
  for (const auto& step : data.steps) {
    auto same = [&](const Group& group) {
      return group.probe == step.probe && group.fingerprint == step.fingerprint;
    };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({step.probe, step.fingerprint, {}});
      found = groups.end() - 1;
    }
    found->steps.push_back(&step);
  }
  for (auto& group : groups) {
    std::stable_sort(group.steps.begin(), group.steps.end(), [&](const auto* a, const auto* b) {
      return std::make_tuple(rank(a->runner), a->runner, a->position) <
             std::make_tuple(rank(b->runner), b->runner, b->position);
    });
  }
  return groups;
}

// disk_random_read_rate -> "random read", cpu_rate -> "rate".
std::string labelOf(const std::string& probe, std::string metric) {
  if (metric.size() > probe.size() + 1 && metric.starts_with(probe + "_")) {
    metric.erase(0, probe.size() + 1);
  }
  if (metric.size() > 5 && metric.ends_with("_rate")) metric.resize(metric.size() - 5);
  std::replace(metric.begin(), metric.end(), '_', ' ');
  return metric;
}

Column makeColumn(const std::string& probe, const std::string& metric, model::Unit unit,
                  model::Better better, bool headline) {
  Column column{metric, labelOf(probe, metric), "", unit, better, headline, {}};
  const auto* spec = probes::findSpec(probe);
  const auto* known = spec == nullptr ? nullptr : spec->metric(metric);
  if (known != nullptr) column.help = known->help;
  return column;
}

const ports::ReportMetric* findMetric(const ports::ReportStep& step, const std::string& name) {
  for (const auto& metric : step.metrics) {
    if (metric.metric == name) return &metric;
  }
  return nullptr;
}

// Every metric that some step sent and every headline that the probe should have sent.
std::vector<Column> columnsOf(const Group& group) {
  std::vector<Column> columns;
  auto add = [&](Column column) {
    for (const auto& known : columns) {
      if (known.metric == column.metric) return;
    }
    columns.push_back(std::move(column));
  };
  auto sent = [&](std::string_view name) {
    return std::any_of(group.steps.begin(), group.steps.end(), [&](const auto* step) {
      return findMetric(*step, std::string(name)) != nullptr;
    });
  };
  if (const auto* spec = probes::findSpec(group.probe)) {
    for (const auto& metric : spec->metrics) {
      if (!metric.headline && !sent(metric.name)) continue;
      add(makeColumn(group.probe, std::string(metric.name), metric.unit, metric.better,
                     metric.headline));
    }
  }
  for (const auto* step : group.steps) {
    for (const auto& metric : step->metrics) {
      add(makeColumn(group.probe, metric.metric, metric.unit, metric.better, metric.headline));
    }
  }
  for (auto& column : columns) {
    std::optional<double> smallest;
    for (const auto* step : group.steps) {
      const auto* metric = findMetric(*step, column.metric);
      if (metric == nullptr || !metric->median || *metric->median == 0) continue;
      smallest = std::min(smallest.value_or(*metric->median), *metric->median);
    }
    column.scale = displayUnit(column.unit, smallest.value_or(0));
  }
  return columns;
}

std::optional<std::uint32_t> requestedOf(const Group& group, const std::string& metric) {
  std::optional<std::uint32_t> most;
  for (const auto* step : group.steps) {
    if (const auto* sent = findMetric(*step, metric)) {
      most = std::max(most.value_or(0), sent->requested);
    }
  }
  if (most) return most;
  const auto* spec = probes::findSpec(group.probe);
  if (spec == nullptr || group.steps.empty()) return std::nullopt;
  const auto& step = *group.steps.front();
  auto params = probes::Params::parse(*spec, step.paramsJson, step.placementJson);
  if (!params) return std::nullopt;
  return spec->estimate(*params).samples;
}

std::string joined(const std::vector<std::string>& reasons) {
  std::string out;
  for (const auto& reason : reasons) out += (out.empty() ? "" : "; ") + reason;
  return out;
}

void countSample(const model::Sample& sample, MetricRow& row) {
  if (sample.verdict == model::Verdict::kOk) return;
  if (sample.verdict == model::Verdict::kContended) ++row.counts.contended;
  if (sample.verdict == model::Verdict::kUnavailable) ++row.counts.unavailable;
  std::string reason = joined(sample.reasons);
  for (auto& cause : row.causes) {
    if (cause.verdict == sample.verdict && cause.reason == reason) {
      ++cause.count;
      return;
    }
  }
  if (row.causes.size() < kMostCauses) {
    row.causes.push_back({sample.verdict, std::move(reason), 1});
  } else {
    ++row.otherCauses;
  }
}

MetricRow makeMetricRow(const ports::ReportStep& step, const Column& column,
                        std::optional<std::uint32_t> requested) {
  MetricRow row;
  row.counts.requested = requested;
  row.source = findMetric(step, column.metric);
  if (row.source != nullptr) {
    const auto& source = *row.source;
    row.counts.requested = source.requested;
    row.counts.attempted = source.attempted;
    row.counts.completed = source.completed;
    for (const auto& sample : source.samples) countSample(sample, row);
    row.method = source.method;
    if (source.completed > 0) {
      row.median = source.median;
      row.min = source.min;
      row.max = source.max;
      row.mean = source.mean;
      row.p95 = source.p95;
      row.p99 = source.p99;
      if (source.completed > 1) row.cv = source.cv;
    }
  }
  row.status = metricStatus(step.state, row.counts);
  return row;
}

enum class Which { kValid, kOthers };

Pinning pinningOfSamples(const ports::ReportStep& step, Which which) {
  Pinning out = Pinning::kNotRecorded;
  for (const auto& metric : step.metrics) {
    for (const auto& sample : metric.samples) {
      if ((sample.verdict == model::Verdict::kOk) != (which == Which::kValid)) continue;
      Pinning own = pinningOf(sample.contextJson);
      if (own == Pinning::kUnpinned) return own;
      if (own == Pinning::kPinned) out = own;
    }
  }
  return out;
}

// One valid unpinned sample makes the step unpinned: its figures may not stand beside pinned ones.
// A sample that lost its pin and is unverified for it is in no figure and has no say.
Pinning pinningOfStep(const ports::ReportStep& step) {
  Pinning valid = pinningOfSamples(step, Which::kValid);
  return valid == Pinning::kNotRecorded ? pinningOfSamples(step, Which::kOthers) : valid;
}

bool hasSamples(const StepRow& row) {
  return std::any_of(row.step->metrics.begin(), row.step->metrics.end(),
                     [](const auto& metric) { return !metric.samples.empty(); });
}

void addSections(const Group& group, ReportModel& model) {
  auto columns = columnsOf(group);
  std::vector<std::optional<std::uint32_t>> requested;
  for (const auto& column : columns) requested.push_back(requestedOf(group, column.metric));
  std::vector<StepRow> rows;
  bool severalTrials = false;
  for (const auto* step : group.steps) {
    StepRow row{step, RowStatus::kIncomplete, pinningOfStep(*step), {}};
    std::vector<RowStatus> statuses;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row.metrics.push_back(makeMetricRow(*step, columns[i], requested[i]));
      statuses.push_back(row.metrics.back().status);
    }
    row.status = stepStatus(step->state, statuses);
    if (row.status == RowStatus::kComplete) ++model.stepsComplete;
    severalTrials = severalTrials || step->trial > 1 ||
                    (!rows.empty() && rows.back().step->stepName != step->stepName);
    rows.push_back(std::move(row));
  }
  // A step without a single sample has no number that could be mixed up: it joins the first table.
  std::vector<Pinning> kinds;
  for (Pinning kind : {Pinning::kPinned, Pinning::kUnpinned, Pinning::kNotRecorded}) {
    bool found = std::any_of(rows.begin(), rows.end(), [&](const StepRow& row) {
      return row.pinning == kind && hasSamples(row);
    });
    if (found) kinds.push_back(kind);
  }
  if (kinds.empty()) kinds.push_back(Pinning::kNotRecorded);
  for (Pinning kind : kinds) {
    Section section;
    section.probe = group.probe;
    section.protocol = group.steps.front()->protocol;
    section.fingerprint = group.fingerprint;
    section.pinning = kind;
    section.severalTrials = severalTrials;
    section.severalPlacements = kinds.size() > 1;
    section.columns = columns;
    for (auto& row : rows) {
      Pinning own = hasSamples(row) ? row.pinning : kinds.front();
      if (own == kind) section.steps.push_back(row);
    }
    model.sections.push_back(std::move(section));
  }
}

}  // namespace

ReportModel buildReportModel(const ports::ReportData& data) {
  ReportModel model;
  model.data = &data;
  model.title = data.title.empty() ? data.campaign.name : data.title;
  for (const auto& group : groupSteps(data)) {
    const auto& first = *group.steps.front();
    model.profiles.push_back({group.probe, first.protocol, group.fingerprint, first.paramsJson,
                              parametersInWords(first.paramsJson)});
    addSections(group, model);
  }
  for (const auto& section : model.sections) {
    for (const auto& row : section.steps) addGaps(section, row, model);
  }
  addMachines(model);
  model.answer = makeAnswer(model);
  return model;
}

}  // namespace fleetmark::coordinator::report
