// Two results beside each other, row by row: what belongs together, what may not be compared, and
// what the figures say. Pure: no I/O, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/stats/compare.h"
#include "coordinator/compare/result_file.h"

namespace fleetmark::coordinator::compare {

inline constexpr std::string_view kComparisonSchema = "fleetmark.comparison/v1";

enum class Metrics { kHeadlines, kAll };
enum class Across { kRefuse, kAllow };

struct Options {
  stats::CompareOptions stats;
  Metrics metrics = Metrics::kHeadlines;
  Across profiles = Across::kRefuse;  // other parameters or protocol version
  Across machines = Across::kRefuse;  // other CPU models
};

// One side as the user chose it.
struct Choice {
  ResultFile file;
  std::string runner;  // empty: all
};

// Why a row has no figures at all.
enum class Refusal {
  kNone,
  kProfiles,   // fingerprints differ
  kMachines,   // CPU models differ
  kPlacement,  // pinned beside unpinned
  kMeaning,    // unit or direction differ
};

struct Row {
  std::string runnerA, runnerB;
  std::string probe;
  std::string step;  // empty: the probe has one
  std::string metric;
  std::string label;  // "disk random read"
  model::Unit unit = model::Unit::kCount;
  model::Better better = model::Better::kHigher;
  std::string fingerprintA, fingerprintB;
  std::vector<std::string> cpuModelsA, cpuModelsB;  // of what is compared; empty text: not known
  Refusal refusal = Refusal::kNone;
  stats::Comparison figures;
  stats::Judgement judgement;
  std::string reason;  // why it can't be told; a clause for people
};

struct LeftOut {
  std::string side;  // "A" | "B"
  std::string runner;
  std::string probe;
  std::string step;
  std::int64_t trial = 1;
  std::string metric;
  std::string status;
  std::uint32_t completed = 0;
  std::optional<std::uint32_t> requested;
};

struct Comparison {
  ResultFile a, b;               // without samples
  std::string runnerA, runnerB;  // chosen; empty: all
  Options options;
  std::vector<Row> rows;
  std::vector<LeftOut> leftOut;        // results that aren't complete
  std::vector<std::string> unmatched;  // what one side alone has; a clause each
  std::vector<std::string> notes;      // what a reader must know; a sentence each
  std::size_t tested = 0;              // rows that Holm's correction counts
};

// kInvalid where nothing can be compared: an unknown runner, no runner or probe in common, or every
// row refused for its profile or machines.
base::Result<Comparison> compareResults(Choice a, Choice b, const Options& options);

// Every row has a verdict other than kCannotTell.
bool allTold(const Comparison& comparison);

}  // namespace fleetmark::coordinator::compare
