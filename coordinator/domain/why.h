// Why a step doesn't run: from what the database holds to one sentence for each thing that a start
// needs. docs/scheduling.md has the list. Pure; the claim (coordinator/store/queue_claim.cpp)
// decides the same in SQL.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/units.h"
#include "common/model/campaign.h"
#include "common/model/host.h"
#include "coordinator/domain/group.h"
#include "coordinator/domain/machine.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::domain {

enum class ConstraintKind {
  kPaused,
  kEnded,
  kNeeds,
  kGap,
  kLabels,
  kProbe,
  kHost,
  kQuarantined,
  kDraining,
  kMachineBusy,
  kGroup,
};

std::string_view toString(ConstraintKind kind);  // paused, ended, ..., machine_busy, group

enum class Met { kNo, kYes };

struct Reason {
  ConstraintKind kind = ConstraintKind::kPaused;
  Met met = Met::kNo;
  std::string text;  // one sentence
};

// An agent online.
struct WhyAgent {
  std::string name;
  model::Labels labels;
  std::vector<std::string> probes;  // "cpu/1"
  std::int64_t host = 0;
  std::string bootId;
  std::string machineKey;
  bool draining = false;
  std::optional<std::string> quarantine;  // the reason
};

// What runs on a machine.
struct WhyRunning {
  std::string agent;
  std::string what;  // "quick / disk"
  base::Nanos left{0};
};

// A step that another one needs.
struct WhyNeed {
  std::string name;
  StepState state = StepState::kBlocked;
  base::Nanos delay{0};
  model::HostRelation relation = model::HostRelation::kAny;
  std::vector<std::int64_t> measuredOn;  // hosts
  std::vector<std::int64_t> triedOn;     // hosts, whatever became of the attempt
  std::vector<std::string> triedBoots;
};

struct WhyStep {
  base::StepId step;
  base::JobId job;
  std::string name;
  StepState state = StepState::kBlocked;
  std::int32_t attempts = 0;
  std::optional<TimePoint> runAfter;
  std::size_t runner = 0;  // place in WhyFacts::runners
  std::string capability;  // "cpu/1"
  std::vector<WhyNeed> needs;
  std::string group;  // empty: none
  GroupState groupState = GroupState::kOpen;
};

struct WhyFacts {
  TimePoint now{};
  std::string campaign;
  CampaignState state = CampaignState::kQueued;
  bool paused = false;
  std::vector<model::Labels> runners;  // what each matches
  std::vector<WhyAgent> agents;
  std::map<std::string, WhyRunning> running;  // by machine key
  std::vector<WhyStep> steps;                 // those blocked or ready
};

struct WhyAnswer {
  std::vector<Reason> reasons;
  // Until it may start, as far as time alone decides; absent: somebody must do something first.
  std::optional<base::Nanos> estimate;
};

// Answers for many steps of one campaign: what steps of the same runner and probe have in common is
// found once. Borrows the facts.
class Why {
 public:
  explicit Why(const WhyFacts& facts) : facts_(facts) {}
  // For a step that is blocked or ready.
  WhyAnswer explain(const WhyStep& step);
  // The first thing that holds it back; empty: nothing does.
  std::string waiting(const WhyStep& step);

 private:
  using Agents = std::vector<const WhyAgent*>;
  // What the agents that could do a step say about their being free.
  struct Availability {
    std::vector<Reason> reasons;
    std::optional<base::Nanos> freeIn;
  };
  struct Fitting {
    std::vector<Reason> reasons;  // labels, probe
    Agents agents;
    Availability availability;
  };
  const Fitting& fitting(const WhyStep& step);
  Availability availabilityOf(Agents agents) const;

  const WhyFacts& facts_;
  std::map<std::pair<std::size_t, std::string>, Fitting> fitting_;
};

}  // namespace fleetmark::coordinator::domain
