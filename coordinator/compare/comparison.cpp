#include "coordinator/compare/comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include "coordinator/compare/words.h"
#include "coordinator/report/text.h"

namespace fleetmark::coordinator::compare {

namespace {

// Steps of one runner that were measured alike.
struct Group {
  std::string probe;
  std::string step;
  std::string fingerprint;
  std::vector<const ResultStep*> steps;
};

std::vector<std::string> runnersIn(const ResultFile& file) {
  std::vector<std::string> out = file.runners;
  for (const auto& step : file.steps) {
    if (std::find(out.begin(), out.end(), step.runner) == out.end()) out.push_back(step.runner);
  }
  return out;
}

std::vector<std::string> runnersOf(const Choice& choice) {
  if (!choice.runner.empty()) return {choice.runner};
  return runnersIn(choice.file);
}

std::string listed(std::vector<std::string> names) {
  for (auto& name : names) name = report::oneLine(name);
  return names.empty() ? "none" : report::enumerate(names);
}

std::vector<Group> groupsOf(const ResultFile& file, const std::string& runner) {
  std::vector<Group> out;
  for (const auto& step : file.steps) {
    if (step.runner != runner) continue;
    auto found = std::find_if(out.begin(), out.end(), [&](const Group& group) {
      return group.probe == step.probe && group.step == step.step &&
             group.fingerprint == step.fingerprint;
    });
    if (found == out.end()) {
      out.push_back({step.probe, step.step, step.fingerprint, {}});
      found = out.end() - 1;
    }
    found->steps.push_back(&step);
  }
  return out;
}

struct GroupPair {
  const Group* a;
  const Group* b;
};

// Equal fingerprints first; what is left over and the only one of its probe on both sides has
// another profile. The rest is named.
std::vector<GroupPair> pairUp(const std::vector<Group>& ofA, const std::vector<Group>& ofB,
                              const std::string& runner, std::vector<std::string>& unmatched) {
  std::vector<GroupPair> out;
  std::set<const Group*> used;
  auto samePlace = [](const Group& x, const Group& y) {
    return x.probe == y.probe && x.step == y.step;
  };
  for (const auto& a : ofA) {
    for (const auto& b : ofB) {
      if (!samePlace(a, b) || a.fingerprint != b.fingerprint) continue;
      out.push_back({&a, &b});
      used.insert({&a, &b});
    }
  }
  auto leftOf = [&](const std::vector<Group>& groups, const Group& like) {
    std::vector<const Group*> left;
    for (const auto& group : groups) {
      if (used.count(&group) == 0 && samePlace(group, like)) left.push_back(&group);
    }
    return left;
  };
  for (const auto& a : ofA) {
    if (used.count(&a) != 0) continue;
    auto leftA = leftOf(ofA, a);
    auto leftB = leftOf(ofB, a);
    if (leftA.size() != 1 || leftB.size() != 1) continue;
    out.push_back({&a, leftB.front()});
    used.insert({&a, leftB.front()});
  }
  auto name = [&](const std::vector<Group>& groups, const char* side) {
    for (const auto& group : groups) {
      if (used.count(&group) != 0) continue;
      unmatched.push_back(report::oneLine(runner + " " + group.probe + " " + group.fingerprint) +
                          ": only " + side + " has it");
    }
  };
  name(ofA, "A");
  name(ofB, "B");
  return out;
}

const ResultMetric* metricOf(const ResultStep& step, const std::string& name) {
  for (const auto& metric : step.metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

// One metric of one group: its complete results by instance.
struct SideValues {
  const ResultMetric* meaning = nullptr;  // unit and direction; nullptr: never sent
  bool sameMeaning = true;
  std::map<std::string, std::vector<double>> byInstance;
  std::set<std::string> cpuModels;
  std::set<std::string> agentVersions;
  std::set<std::optional<bool>> pinned;
};

class Builder {
 public:
  Builder(const Options& options, Comparison& out) : options_(options), out_(out) {}

  void addRunners(const Choice& a, const std::string& runnerA, const Choice& b,
                  const std::string& runnerB) {
    auto groupsA = groupsOf(a.file, runnerA);
    auto groupsB = groupsOf(b.file, runnerB);
    std::string named = runnerA == runnerB ? runnerA : runnerA + ", " + runnerB;
    for (const auto& pair : pairUp(groupsA, groupsB, named, out_.unmatched)) {
      addGroups(runnerA, *pair.a, runnerB, *pair.b);
    }
  }

  void finish() {
    std::vector<stats::Comparison> table;
    for (const auto& row : out_.rows) table.push_back(row.figures);
    stats::correctForTable(table);
    out_.tested = stats::tested(table);
    for (std::size_t i = 0; i < table.size(); ++i) {
      Row& row = out_.rows[i];
      row.figures = table[i];
      if (row.refusal == Refusal::kNone) {
        auto direction = row.better == model::Better::kHigher ? stats::Direction::kHigherIsBetter
                                                              : stats::Direction::kLowerIsBetter;
        row.judgement = stats::judge(row.figures, direction, options_.stats);
      }
      row.reason = clauseOf(row, options_, out_.tested);
    }
    addNotes();
  }

 private:
  void addGroups(const std::string& runnerA, const Group& a, const std::string& runnerB,
                 const Group& b) {
    std::vector<std::string> names;
    for (const Group* group : {&a, &b}) {
      for (const auto* step : group->steps) {
        for (const auto& metric : step->metrics) {
          bool wanted = metric.headline || options_.metrics == Metrics::kAll;
          bool known = std::find(names.begin(), names.end(), metric.name) != names.end();
          if (wanted && !known) names.push_back(metric.name);
        }
      }
    }
    bool severalSteps = a.step != "measure" && !a.step.empty();
    for (const auto& name : names) {
      SideValues ofA = gather(a, name, "A", runnerA);
      SideValues ofB = gather(b, name, "B", runnerB);
      Row row;
      row.runnerA = runnerA;
      row.runnerB = runnerB;
      row.probe = a.probe;
      if (severalSteps) row.step = a.step;
      row.metric = name;
      row.label = labelOf(a.probe, name);
      const auto* meaning = ofA.meaning != nullptr ? ofA.meaning : ofB.meaning;
      row.unit = meaning->unit;
      row.better = meaning->better;
      row.fingerprintA = a.fingerprint;
      row.fingerprintB = b.fingerprint;
      row.cpuModelsA.assign(ofA.cpuModels.begin(), ofA.cpuModels.end());
      row.cpuModelsB.assign(ofB.cpuModels.begin(), ofB.cpuModels.end());
      row.refusal = refusalOf(row, ofA, ofB);
      if (row.refusal == Refusal::kNone) {
        row.figures = stats::compare(instancesOf(ofA), instancesOf(ofB), options_.stats);
        noteMachines(ofA, ofB);
      }
      out_.rows.push_back(std::move(row));
    }
  }

  SideValues gather(const Group& group, const std::string& name, const char* side,
                    const std::string& runner) {
    SideValues out;
    for (const auto* step : group.steps) {
      const auto* metric = metricOf(*step, name);
      LeftOut left{side, runner, step->probe, step->step, step->trial, name, step->status, 0, {}};
      if (metric != nullptr) {
        if (out.meaning == nullptr) out.meaning = metric;
        out.sameMeaning = out.sameMeaning && metric->unit == out.meaning->unit &&
                          metric->better == out.meaning->better;
        left.status = metric->status;
        left.completed = metric->completed;
        left.requested = metric->requested;
      }
      if (metric == nullptr || metric->status != "complete" || metric->values.empty()) {
        out_.leftOut.push_back(std::move(left));
        continue;
      }
      auto& values = out.byInstance[step->instance];
      values.insert(values.end(), metric->values.begin(), metric->values.end());
      out.cpuModels.insert(step->cpuModel);
      out.agentVersions.insert(step->agentVersion);
      out.pinned.insert(step->pinned);
    }
    return out;
  }

  Refusal refusalOf(const Row& row, const SideValues& a, const SideValues& b) const {
    if (row.fingerprintA != row.fingerprintB && options_.profiles == Across::kRefuse) {
      return Refusal::kProfiles;
    }
    bool meaning = a.sameMeaning && b.sameMeaning;
    if (a.meaning != nullptr && b.meaning != nullptr) {
      meaning =
          meaning && a.meaning->unit == b.meaning->unit && a.meaning->better == b.meaning->better;
    }
    if (!meaning) return Refusal::kMeaning;
    if (a.byInstance.empty() || b.byInstance.empty()) return Refusal::kNone;
    std::set<std::optional<bool>> pinned = a.pinned;
    pinned.insert(b.pinned.begin(), b.pinned.end());
    if (pinned.size() > 1) return Refusal::kPlacement;
    std::set<std::string> models = a.cpuModels;
    models.insert(b.cpuModels.begin(), b.cpuModels.end());
    if (models.size() > 1 && options_.machines == Across::kRefuse) return Refusal::kMachines;
    return Refusal::kNone;
  }

  static stats::Instances instancesOf(const SideValues& side) {
    stats::Instances out;
    for (const auto& [instance, values] : side.byInstance) out.push_back(values);
    return out;
  }

  void noteMachines(const SideValues& a, const SideValues& b) {
    for (const auto& [instance, values] : a.byInstance) {
      if (b.byInstance.count(instance) != 0) sharedMachine_ = true;
    }
    agentVersions_.insert(a.agentVersions.begin(), a.agentVersions.end());
    agentVersions_.insert(b.agentVersions.begin(), b.agentVersions.end());
    cpuModels_.insert(a.cpuModels.begin(), a.cpuModels.end());
    cpuModels_.insert(b.cpuModels.begin(), b.cpuModels.end());
  }

  void addNotes() {
    bool bySample = false;
    bool byInstance = false;
    bool profiles = false;
    for (const auto& row : out_.rows) {
      if (!row.figures.ratio) continue;
      (row.figures.unit == stats::SamplingUnit::kInstance ? byInstance : bySample) = true;
      profiles = profiles || row.fingerprintA != row.fingerprintB;
    }
    auto& notes = out_.notes;
    if (bySample) {
      notes.push_back(std::string("Intervals over samples speak of the machines measured, and of "
                                  "no other machine of their kind.") +
                      (sharedMachine_ ? " Some of A and B was measured on the same machine." : ""));
    }
    if (byInstance) {
      notes.push_back(
          "Where both sides have several instances, an instance's median is the unit; "
          "intervals are drawn by instances, then samples (seed " +
          std::to_string(options_.stats.seed) + ", " + std::to_string(options_.stats.replicates) +
          " draws).");
    }
    if (profiles) notes.push_back("Profiles differ: the ratios compare two kinds of measurement.");
    if (cpuModels_.size() > 1) {
      notes.push_back("CPU models differ: " + listed({cpuModels_.begin(), cpuModels_.end()}) + ".");
    }
    if (cpuModels_.count("") != 0) notes.push_back("Some machine's CPU model is not known.");
    if (agentVersions_.size() > 1) {
      notes.push_back("Agents of different versions measured: " +
                      listed({agentVersions_.begin(), agentVersions_.end()}) + ".");
    }
  }

  const Options& options_;
  Comparison& out_;
  bool sharedMachine_ = false;
  std::set<std::string> agentVersions_;
  std::set<std::string> cpuModels_;
};

base::Status checkRunner(const Choice& choice) {
  if (choice.runner.empty()) return {};
  auto known = runnersIn(choice.file);
  if (std::find(known.begin(), known.end(), choice.runner) != known.end()) return {};
  return base::notFound(choice.file.origin + " has no runner '" + report::oneLine(choice.runner) +
                        "'; it has " + listed(known));
}

std::string choose(const Choice& a, const Choice& b) {
  return "A has " + listed(runnersOf(a)) + "; B has " + listed(runnersOf(b));
}

base::Error nothingAlike(const Choice& a, const Choice& b) {
  auto probes = [](const Choice& choice) {
    std::set<std::string> names;
    for (const auto& step : choice.file.steps) {
      if (choice.runner.empty() || choice.runner == step.runner) names.insert(step.probe);
    }
    return listed({names.begin(), names.end()});
  };
  return base::invalid("nothing to compare: A measured " + probes(a) + "; B measured " + probes(b) +
                       ". Choose results of the same probe, or --all-metrics where it has no "
                       "headline");
}

void dropSamples(ResultFile& file) {
  for (auto& step : file.steps) {
    for (auto& metric : step.metrics) metric.values = {};
  }
}

}  // namespace

base::Result<Comparison> compareResults(Choice a, Choice b, const Options& options) {
  FM_TRY(checkRunner(a));
  FM_TRY(checkRunner(b));
  Comparison out;
  out.options = options;
  Builder builder(options, out);
  auto runnersA = runnersOf(a);
  auto runnersB = runnersOf(b);
  if (runnersA.size() == 1 && runnersB.size() == 1) {
    builder.addRunners(a, runnersA[0], b, runnersB[0]);
  } else {
    bool common = false;
    for (const auto& runner : runnersA) {
      if (std::find(runnersB.begin(), runnersB.end(), runner) == runnersB.end()) {
        out.unmatched.push_back("runner " + report::oneLine(runner) + ": only A has it");
        continue;
      }
      common = true;
      builder.addRunners(a, runner, b, runner);
    }
    for (const auto& runner : runnersB) {
      if (std::find(runnersA.begin(), runnersA.end(), runner) == runnersA.end()) {
        out.unmatched.push_back("runner " + report::oneLine(runner) + ": only B has it");
      }
    }
    if (!common) {
      return base::invalid("no runner in common: " + choose(a, b) +
                           ". Name one a side, as in november:" +
                           report::oneLine(runnersA.empty() ? "NAME" : runnersA[0]));
    }
  }
  if (out.rows.empty()) return nothingAlike(a, b);
  builder.finish();
  bool allRefused = std::all_of(out.rows.begin(), out.rows.end(),
                                [](const Row& row) { return row.refusal != Refusal::kNone; });
  if (allRefused) {
    return base::invalid("nothing may be compared: " + out.rows[0].label + ": " +
                         out.rows[0].reason);
  }
  out.runnerA = a.runner;
  out.runnerB = b.runner;
  dropSamples(a.file);
  dropSamples(b.file);
  out.a = std::move(a.file);
  out.b = std::move(b.file);
  return out;
}

bool allTold(const Comparison& comparison) {
  return std::all_of(comparison.rows.begin(), comparison.rows.end(), [](const Row& row) {
    return row.refusal == Refusal::kNone && row.judgement.verdict != stats::Verdict::kCannotTell;
  });
}

}  // namespace fleetmark::coordinator::compare
