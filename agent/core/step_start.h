// What an agent does between taking a step and starting its probe: it waits for a quiet host, then
// for the other members of the step's group. Time limits of the probe begin afterwards.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/coordinator_port.h"
#include "agent/core/ending.h"
#include "agent/core/job_runner.h"
#include "agent/core/quiet.h"
#include "agent/core/run_control.h"
#include "agent/platform/host_activity.h"
#include "common/base/clock.h"

namespace fleetmark::agent::core {

struct StepStartOptions {
  HostActivity* activity = nullptr;  // null: this agent can't look at its host
  // Ends what earlier probes left and names what can't be ended, as in QuietWindow. May be empty.
  std::function<std::vector<std::string>()> leftovers;
  base::Nanos window = std::chrono::seconds(1);
  base::Nanos slice = std::chrono::milliseconds(100);  // between two looks in a window
  // A cancel or a stop is heard between two questions, so none may wait for long.
  base::Nanos arriveWait = std::chrono::seconds(2);
  base::Nanos retryInitial = std::chrono::milliseconds(500);
  base::Nanos retryMost = std::chrono::seconds(5);
};

struct StepReadiness {
  std::optional<Ending> ended;  // nothing is to be started
  std::vector<model::Notice> notices;
  std::string quietJson;  // empty: not asked
};

// Use from one thread.
class StepStart {
 public:
  StepStart(CoordinatorPort& port, const base::Clock& clock, StepStartOptions options)
      : port_(port), clock_(clock), options_(std::move(options)) {}

  // Blocks until the probe may be started or the step is over. Ends early by `control`.
  StepReadiness make(const model::Assignment& assignment, RunSink& sink, RunControl& control);

 private:
  // Both set `ended` when the step is over.
  void waitForQuiet(const model::QuietSpec& spec, RunSink& sink, RunControl& control,
                    StepReadiness& out);
  void waitForGroup(const model::Assignment& assignment, RunSink& sink, RunControl& control,
                    StepReadiness& out);
  std::optional<QuietWindow> look(RunControl& control);  // nullopt: the step is to end
  std::vector<std::string> leftovers() const;
  bool isOver(RunControl& control) const;

  CoordinatorPort& port_;
  const base::Clock& clock_;
  StepStartOptions options_;
};

}  // namespace fleetmark::agent::core
