// The life of an agent with its coordinator: registers, takes one step at a time, runs it, sees
// it reported, takes the next.
//
// Threads: run() on the caller's (children die with it, so it must be one that lives as long as
// the agent), the LeaseKeeper's and the Uploader's. requestStop() from any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "agent/core/coordinator_port.h"
#include "agent/core/job_runner.h"
#include "agent/core/lease_keeper.h"
#include "agent/core/live_feed.h"
#include "agent/core/spool.h"
#include "agent/core/step_start.h"
#include "agent/core/uploader.h"
#include "common/base/clock.h"
#include "common/base/result.h"

namespace fleetmark::agent::core {

struct SessionOptions {
  RunnerOptions runner;
  StepStartOptions start;
  UploaderOptions uploader;
  base::Nanos takeWait = std::chrono::seconds(30);
  base::Nanos pause = std::chrono::seconds(1);         // after an empty answer that came at once
  base::Nanos full = std::chrono::seconds(5);          // between two looks at a full disk
  base::Nanos stopPatience = std::chrono::seconds(5);  // for the last report
  base::Nanos keeperWait = std::chrono::minutes(1);    // see LeaseKeeper
};

class Session {
 public:
  // All references must outlive the session. `spool` as it was opened, nothing begun.
  Session(CoordinatorPort& port, Spool& spool, const base::Clock& clock, model::AgentHello hello,
          SessionOptions options);

  // Returns after requestStop(): a running step is ended as infrastructure and reported if that
  // can be done within stopPatience, else after the next start. An error: the coordinator refuses
  // this agent (kDenied, kInvalid, ...), which no waiting mends.
  base::Status run();

  // The second call doesn't wait for the last report.
  void requestStop();

 private:
  base::Status registerAgent();
  void settleRecovered();
  void takeLoop();
  // `asked`: when the question for this work was sent.
  void execute(const model::Assignment& assignment, base::MonoTime asked);
  bool leaseHolds(const model::Assignment& assignment, base::MonoTime asked, RunControl& control);
  model::Completion runStep(const model::Assignment& assignment, base::MonoTime asked,
                            RunSink& sink, RunControl& control);
  void refuse(const model::Assignment& assignment, const std::string& why);
  bool drained() const;
  void waitReported();
  void waitLastReport();
  bool pauseFor(base::Nanos limit);  // true: stopping
  bool stopping() const { return stops_.load() > 0; }
  // Around calls that wait for the coordinator: a stop ends those, and no others.
  bool enterCall();
  void leaveCall();

  CoordinatorPort& port_;
  Spool& spool_;
  const base::Clock& clock_;
  model::AgentHello hello_;
  SessionOptions options_;
  LiveFeed feed_;
  LeaseKeeper keeper_;
  Uploader uploader_;
  StepStart start_;
  JobRunner runner_;

  std::atomic<int> stops_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string whyNoWork_;  // as the coordinator said last; the session's thread alone
  bool inCall_ = false;
  std::shared_ptr<RunControl> running_;  // null: none
};

}  // namespace fleetmark::agent::core
