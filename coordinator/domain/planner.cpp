#include "coordinator/domain/planner.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "common/base/random.h"

namespace fleetmark::coordinator::domain {

namespace {

using model::CampaignSpec;
using model::Order;
using model::PlannedJob;
using model::ProbeUse;

struct Cell {
  std::size_t probe;
  std::size_t runner;
};

bool runsOn(const ProbeUse& use, const std::string& runner) {
  return use.on.empty() || std::find(use.on.begin(), use.on.end(), runner) != use.on.end();
}

base::Status checkSpec(const CampaignSpec& spec) {
  auto refuse = [&](const std::string& why) {
    return base::invalid("campaign '" + spec.name + "' has nothing to do: " + why);
  };
  if (spec.runners.empty()) return refuse("it names no runner; add one under 'runners'");
  if (spec.probes.empty()) return refuse("it names no probe; add one under 'probes'");
  std::size_t jobs = 0;
  for (const auto& use : spec.probes) {
    for (const auto& name : use.on) {
      bool known = std::any_of(spec.runners.begin(), spec.runners.end(),
                               [&](const auto& runner) { return runner.name == name; });
      if (!known) {
        return base::invalid("probe '" + use.profile.probe + "' is to run on '" + name +
                             "', which is no runner of campaign '" + spec.name + "'");
      }
    }
    for (const auto& runner : spec.runners) jobs += runsOn(use, runner.name) ? 1u : 0u;
    if (jobs > kMostJobs) {
      return base::invalid("campaign '" + spec.name + "' has more than " +
                           std::to_string(kMostJobs) +
                           " jobs (probes x runners); split it into several");
    }
  }
  if (jobs == 0) return refuse("no probe runs on any runner; look at 'on'");
  return {};
}

std::vector<Cell> declaredCells(const CampaignSpec& spec) {
  std::vector<Cell> cells;
  for (std::size_t runner = 0; runner < spec.runners.size(); ++runner) {
    for (std::size_t probe = 0; probe < spec.probes.size(); ++probe) {
      if (runsOn(spec.probes[probe], spec.runners[runner].name)) cells.push_back({probe, runner});
    }
  }
  return cells;
}

enum class Turn { kForward, kBackward };

void appendRound(const CampaignSpec& spec, std::size_t probe, Turn turn, std::vector<Cell>& cells) {
  std::size_t count = spec.runners.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t runner = turn == Turn::kForward ? i : count - 1 - i;
    if (runsOn(spec.probes[probe], spec.runners[runner].name)) cells.push_back({probe, runner});
  }
}

std::vector<Cell> interleavedCells(const CampaignSpec& spec) {
  std::vector<Cell> cells;
  for (std::size_t probe = 0; probe < spec.probes.size(); ++probe) {
    appendRound(spec, probe, Turn::kForward, cells);
  }
  return cells;
}

std::vector<Cell> abbaCells(const CampaignSpec& spec) {
  std::vector<Cell> cells;
  std::map<std::string, std::pair<std::size_t, std::size_t>> seen;  // fingerprint: number, rounds
  for (std::size_t probe = 0; probe < spec.probes.size(); ++probe) {
    auto [entry, isNew] =
        seen.try_emplace(spec.probes[probe].profile.fingerprint, seen.size(), std::size_t{0});
    auto& [number, rounds] = entry->second;
    auto turn = (number + rounds) % 2 == 0 ? Turn::kForward : Turn::kBackward;
    appendRound(spec, probe, turn, cells);
    ++rounds;
  }
  return cells;
}

std::vector<Cell> orderedCells(const CampaignSpec& spec) {
  switch (spec.order) {
    case Order::kDeclared:
      return declaredCells(spec);
    case Order::kInterleave:
      return interleavedCells(spec);
    case Order::kAbba:
      return abbaCells(spec);
    case Order::kRandom: {
      auto cells = interleavedCells(spec);
      base::SeededRandom random(spec.seed);
      random.shuffle(cells);
      return cells;
    }
  }
  return {};
}

// Estimates of extreme campaigns would leave the range of 292 years.
base::Nanos addSaturating(base::Nanos a, base::Nanos b) {
  return a > base::Nanos::max() - b ? base::Nanos::max() : a + b;
}

void limitStep(const CampaignSpec& spec, const ProbeUse& use, model::PlannedStep& step) {
  auto earlier = [](base::Nanos& limit, base::Nanos other) {
    if (other > base::Nanos(0) && (limit == base::Nanos(0) || other < limit)) limit = other;
  };
  earlier(step.timeLimit, use.timeLimit);
  earlier(step.timeLimit, spec.jobLimit);
  earlier(step.noProgressLimit, spec.noProgressLimit);
}

std::vector<model::PlannedStep> plannedSteps(const CampaignSpec& spec, const ProbeUse& use) {
  auto steps = use.steps;
  if (steps.empty()) {
    steps.resize(1);
    steps.front().name = "measure";
    steps.front().estimate = use.estimate;
  }
  for (auto& step : steps) limitStep(spec, use, step);
  return steps;
}

// Wall time of a job: needs wait for each other with their pauses, members of a group run at once.
base::Nanos jobEstimate(const std::vector<model::PlannedStep>& steps) {
  std::vector<base::Nanos> ends(steps.size(), base::Nanos(0));
  base::Nanos last(0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    base::Nanos begin(0);
    for (const auto& need : steps[i].needs) {
      begin = std::max(begin, addSaturating(ends[need.step], need.delay));
    }
    ends[i] = addSaturating(begin, steps[i].estimate);
    last = std::max(last, ends[i]);
  }
  return last;
}

}  // namespace

base::Result<model::Plan> makePlan(CampaignSpec spec) {
  FM_TRY(checkSpec(spec));
  model::Plan plan;
  plan.spec = std::move(spec);
  std::map<std::tuple<std::size_t, std::string, std::string>, std::uint32_t> trials;
  std::vector<base::Nanos> perRunner(plan.spec.runners.size(), base::Nanos(0));
  for (const Cell& cell : orderedCells(plan.spec)) {
    const ProbeUse& use = plan.spec.probes[cell.probe];
    PlannedJob job;
    job.runner = cell.runner;
    job.probe = cell.probe;
    job.trial = ++trials[{cell.runner, use.profile.fingerprint, use.placementJson}];
    job.position = static_cast<std::uint32_t>(plan.jobs.size());
    job.steps = plannedSteps(plan.spec, use);
    auto estimate = jobEstimate(job.steps);
    perRunner[cell.runner] = addSaturating(perRunner[cell.runner], estimate);
    plan.estimateOneMachine = addSaturating(plan.estimateOneMachine, estimate);
    plan.jobs.push_back(std::move(job));
  }
  plan.estimate = *std::max_element(perRunner.begin(), perRunner.end());
  return plan;
}

}  // namespace fleetmark::coordinator::domain
