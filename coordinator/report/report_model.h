// What a report says, before it has a form: the rows that Markdown, JSON, CSV and HTML are
// made from, so that they can't disagree. Built once, on any thread, without I/O or a clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/ports/views.h"
#include "coordinator/report/row_status.h"
#include "coordinator/report/stored_json.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::report {

// Samples with the same verdict and the same reasons.
struct Cause {
  model::Verdict verdict = model::Verdict::kOk;
  std::string reason;  // reasons joined by "; "
  std::uint32_t count = 0;
};

// One metric of one step. Where no number is there is no number: absent, never 0.
struct MetricRow {
  const ports::ReportMetric* source = nullptr;  // nullptr: no sample of it arrived
  RowStatus status = RowStatus::kIncomplete;
  SampleCounts counts;
  std::optional<double> median, min, max, mean;
  std::optional<double> cv;  // absent below two valid samples: one value doesn't vary
  std::optional<double> p95, p99;
  std::string method;
  std::vector<Cause> causes;      // of samples that aren't ok, the first kinds met
  std::uint32_t otherCauses = 0;  // such samples of further kinds
};

struct StepRow {
  const ports::ReportStep* step = nullptr;
  RowStatus status = RowStatus::kIncomplete;
  Pinning pinning = Pinning::kNotRecorded;
  std::vector<MetricRow> metrics;  // one for each of the section's columns
};

struct Column {
  std::string metric;
  std::string label;  // "random read"
  std::string help;   // empty: none known
  model::Unit unit = model::Unit::kCount;
  model::Better better = model::Better::kHigher;
  bool headline = false;
  DisplayUnit scale;  // for people
};

// Steps that may stand in one table: one fingerprint, one kind of CPU placement.
struct Section {
  std::string probe;
  std::int64_t protocol = 0;
  std::string fingerprint;
  Pinning pinning = Pinning::kNotRecorded;
  bool severalTrials = false;      // trial and step need a column
  bool severalPlacements = false;  // other sections hold the same fingerprint's other placements
  std::vector<Column> columns;
  std::vector<StepRow> steps;  // by runner as declared, then position
};

struct ProfileRow {
  std::string probe;
  std::int64_t protocol = 0;
  std::string fingerprint;
  std::string paramsJson;
  std::vector<Parameter> parameters;
};

// What was not measured, and why.
struct Gap {
  const ports::ReportStep* step = nullptr;
  std::string metric;  // label; empty: the whole step
  RowStatus status = RowStatus::kIncomplete;
  std::vector<std::string> why;
};

// One agent process on one machine, as one runner met it.
struct MachineRow {
  const ports::ReportStep* step = nullptr;  // the first that it did
  BuildFacts build;
  base::Nanos clockOffset{0};  // the largest, with its sign
};

struct ReportModel {
  const ports::ReportData* data = nullptr;
  std::string title;
  std::string answer;  // one sentence
  std::uint32_t stepsComplete = 0;
  std::vector<ProfileRow> profiles;
  std::vector<Section> sections;
  std::vector<Gap> gaps;
  std::vector<MachineRow> machines;
  std::vector<std::vector<std::string>> sharedMachines;  // runners that met the same machine
};

// `data` is borrowed: it must outlive the model and stay unchanged.
ReportModel buildReportModel(const ports::ReportData& data);

}  // namespace fleetmark::coordinator::report
