// Rows as operators and reports read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/units.h"
#include "common/model/campaign.h"
#include "common/model/host.h"
#include "common/model/sample.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::ports {

// Whether a campaign's steps are handed out.
enum class Pausing { kPause, kResume };

struct CampaignSummary {
  base::CampaignId id;
  std::string name;
  domain::CampaignState state = domain::CampaignState::kQueued;
  base::WallTime submittedAt{};
  std::optional<base::WallTime> finishedAt;
  std::uint32_t stepsTotal = 0;
  std::uint32_t stepsMeasured = 0;
  std::uint32_t stepsFailed = 0;
  std::uint32_t stepsLost = 0;
  std::uint32_t stepsCancelled = 0;
  std::uint32_t stepsRunning = 0;
  std::uint32_t samplesInvalid = 0;  // samples of ended steps with a verdict other than ok
  bool paused = false;               // nothing of it is handed out
  base::Nanos estimate{0};
};

struct StepStatus {
  base::StepId step;
  base::JobId job;
  std::string runner;
  std::string probe;
  std::string fingerprint;
  std::uint32_t trial = 1;
  std::string stepName;
  domain::StepState state = domain::StepState::kBlocked;
  std::string agent;  // of the last attempt; empty: none yet
  std::uint32_t attempts = 0;
  std::uint32_t samplesOk = 0;
  std::uint32_t samplesSeen = 0;
  std::uint32_t samplesRequested = 0;  // over all metrics
  std::string progress;                // what the probe does now; known to one coordinator alone
  std::string message;                 // why it failed
  std::string headlineMetric;          // with headlineValue: the first headline metric's median
  std::optional<double> headlineValue;
  std::optional<double> headlineCv;
  std::optional<base::WallTime> startedAt;
  std::optional<base::WallTime> endedAt;
  std::string waiting;  // why a ready step isn't running; empty: not waiting or not known
  base::Nanos estimate{0};
};

struct CampaignEvent {
  std::string cursor;  // opaque; events come in its order, without gaps
  base::WallTime at{};
  std::string kind;
  base::StepId step;  // 0: about the campaign
  std::string dataJson;
};

struct AgentView {
  base::AgentId id;
  std::string name;
  std::string state;  // online | busy | draining | quarantined | offline
  model::Labels labels;
  std::vector<std::string> probes;
  base::WallTime lastSeen{};
  std::string doing;
  std::string version;
  std::string cpuModel;
  base::Nanos clockOffset{0};
  std::string reason;  // why it is quarantined or draining; empty: neither
};

// What an operator wants of an agent.
enum class AgentWish {
  kDrain,    // finish, take nothing
  kUndrain,  // take work again
  kRelease,  // out of quarantine
};

// One thing that a step needs in order to start, and whether it has it.
struct Constraint {
  std::string kind;    // labels, machine_busy, gap, paused, ...; see domain/why.h
  bool holds = false;  // true: met, doesn't hold the step back
  std::string text;    // one sentence for people
};

struct StepReasons {
  base::StepId step;
  std::string stepName;
  domain::StepState state = domain::StepState::kBlocked;
  std::vector<Constraint> constraints;
  std::optional<base::Nanos> estimate;  // until it may start; absent: nobody can say
};

struct JobReasons {
  base::JobId job;
  base::CampaignId campaign;
  std::string campaignName;
  std::string runner;
  std::string probe;
  std::uint32_t trial = 1;
  domain::JobState state = domain::JobState::kPending;
  std::vector<StepReasons> steps;
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
  bool truncated = false;
};

// ---- what a report is made of: rows only, no formatting ----

struct ReportMetric {
  std::string metric;
  model::Unit unit = model::Unit::kCount;
  model::Better better = model::Better::kHigher;
  bool headline = false;
  std::uint32_t requested = 0;
  std::uint32_t attempted = 0;                       // samples seen, whatever their verdict
  std::uint32_t completed = 0;                       // verdict ok: n of the statistics
  std::optional<double> median, min, max, mean, cv;  // absent when completed is 0
  std::optional<double> p95, p99;                    // absent below their least n
  std::string method;                                // id of the statistics' method
  std::vector<model::Sample> samples;                // by index
};

struct ReportStep {
  base::StepId step;
  base::JobId job;
  std::string runner;
  std::string probe;
  std::int64_t protocol = 0;
  std::string fingerprint;
  std::string paramsJson;
  std::string placementJson;
  std::uint32_t trial = 1;
  std::string stepName;
  std::uint32_t position = 0;
  domain::StepState state = domain::StepState::kBlocked;
  std::string message;
  std::uint32_t attempts = 0;
  // Of the attempt that counts (the last one); absent when none was made.
  std::string agent;
  model::HostFacts host;
  std::string agentVersion;
  std::string environmentBeforeJson = "{}";
  std::string environmentAfterJson = "{}";
  std::optional<base::WallTime> startedAt;
  std::optional<base::WallTime> endedAt;
  base::Nanos clockOffset{0};
  std::vector<ReportMetric> metrics;
  std::vector<model::Notice> notices;
  std::vector<std::string> failedAttempts;  // earlier ones: "attempt 1 on local-a: agent lost"
};

struct ReportData {
  CampaignSummary campaign;
  std::string description;
  std::string title;
  std::string yaml;
  model::Order order = model::Order::kDeclared;
  std::uint64_t seed = 0;
  std::vector<model::RunnerSpec> runners;
  std::vector<ReportStep> steps;  // by runner, probe, position
  std::string coordinatorVersion;
};

}  // namespace fleetmark::coordinator::ports
