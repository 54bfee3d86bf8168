// A campaign as a person wrote it (spec) and as the fleet will do it (plan). Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/units.h"
#include "common/model/host.h"
#include "common/model/profile.h"
#include "common/model/work.h"

namespace fleetmark::model {

enum class Order { kDeclared, kInterleave, kAbba, kRandom };
enum class HostRelation { kAny, kSame, kDifferent, kFresh };

std::string_view toString(Order order);
std::string_view toString(HostRelation relation);
std::optional<Order> parseOrder(std::string_view word);
std::optional<HostRelation> parseHostRelation(std::string_view word);
const std::vector<HostRelation>& allHostRelations();

struct RunnerSpec {
  std::string name;
  std::string provider = "static";
  Labels match;   // which agents may do its work
  Labels labels;  // facts for the report (region, price); not matched
  bool operator==(const RunnerSpec&) const = default;
};

// A step needs others of the same job; indices into the job's steps.
struct PlannedNeed {
  std::size_t step = 0;
  base::Nanos delay{0};
  HostRelation hostRelation = HostRelation::kAny;
  bool operator==(const PlannedNeed&) const = default;
};

struct PlannedStep {
  std::string name;  // "measure"; a cache job has "save" and "restore"
  std::vector<PlannedNeed> needs;
  base::Nanos estimate{0};
  base::Nanos timeLimit{0};
  base::Nanos noProgressLimit{0};
  // Steps of a job with the same group, two or more, are done by as many agents at the same time.
  std::string group = {};     // empty: none
  base::Nanos groupLimit{0};  // how long the first of them waits for the others
  bool operator==(const PlannedStep&) const = default;
};

// One entry under `probes`, with defaults filled in and units normalised.
struct ProbeUse {
  Profile profile;
  std::string paramsJson;              // the profile's params alone
  std::string placementJson = "{}";    // what is no part of the profile: paths, addresses
  base::Nanos estimate{0};             // expected duration of one step
  base::Nanos timeLimit{0};            // a step over this is ended
  std::uint32_t requestedSamples = 0;  // per metric
  std::vector<std::string> on;         // runner names; empty: all
  std::vector<PlannedStep> steps;      // of each of its jobs; empty: one step "measure"
  bool operator==(const ProbeUse&) const = default;
};

struct CampaignSpec {
  std::string name;
  std::string description;
  std::vector<RunnerSpec> runners;
  std::vector<ProbeUse> probes;
  Order order = Order::kInterleave;
  std::uint64_t seed = 0;
  bool seedGiven = false;
  std::optional<QuietSpec> quiet;
  base::Nanos jobLimit{0};         // 0: the probe's own limit stands alone
  base::Nanos campaignLimit{0};    // from the first claim; 0: none
  base::Nanos noProgressLimit{0};  // 0: none
  std::string title;
  std::vector<std::string> publish;  // markdown, json, csv; empty: all
  bool operator==(const CampaignSpec&) const = default;
};

struct PlannedJob {
  std::size_t runner = 0;  // index into CampaignSpec::runners
  std::size_t probe = 0;   // index into CampaignSpec::probes
  std::uint32_t trial = 1;
  std::uint32_t position = 0;  // dispatch order, 0-based, unique in the campaign
  std::vector<PlannedStep> steps;
  bool operator==(const PlannedJob&) const = default;
};

struct Plan {
  CampaignSpec spec;
  std::vector<PlannedJob> jobs;  // by position
  base::Nanos estimate{0};       // wall time with one agent a runner, all on machines of their own
  base::Nanos estimateOneMachine{0};  // wall time when all share one machine
};

}  // namespace fleetmark::model
