// Runs one assignment: the probe in a child process with a process group of its own, watched until
// it has ended and nothing that came from it is left. The child is told of each renewal of the
// lease and ends by itself when it hears of none in time (probe_input.h).
//
// How it ends:
//   the probe says done                                        measured
//   the probe says failed; over the time or no-progress limit;
//   too many samples                                           measurement failure
//   crash, exit without a word, garbage on the pipe, no child,
//   no space for samples, lease gone, agent stopped            infrastructure
//   cancelled                                                  cancelled
// What was measured before the end is kept in every case.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "agent/core/run_control.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/base/units.h"
#include "common/model/work.h"

namespace fleetmark::agent::core {

// Where a run puts what it produces. Called on the runner's thread.
class RunSink {
 public:
  virtual ~RunSink() = default;
  // After Ok the chunk is safe. An error ends the run as infrastructure.
  virtual base::Status chunk(const model::SampleChunk& chunk) = 0;
  virtual void progress(const std::string& text) = 0;
  virtual void log(const std::string& text) = 0;  // whole lines of the child's standard error
};

struct RunnerOptions {
  std::string program;                           // fleetmark-agent, absolute
  std::function<std::string()> environmentJson;  // host facts that change, read before and after

  // A chunk is closed by whichever comes first.
  std::size_t chunkSamples = 500;
  std::size_t chunkBytes = 1024 * 1024;
  base::Nanos chunkTime = std::chrono::seconds(1);

  base::Nanos grace = std::chrono::seconds(2);        // from SIGTERM to SIGKILL
  base::Nanos tick = std::chrono::milliseconds(200);  // how often deadlines are looked at
  std::uint64_t maxSamples = 2'000'000;
  std::size_t maxNotices = 200;
  std::size_t maxLogBytes = 256 * 1024;
};

// Use from one thread; the child dies with that thread. While a step ends, every process that comes
// from this program is killed, whoever started it: an agent starts nothing but probes.
class JobRunner {
 public:
  JobRunner(RunnerOptions options, const base::Clock& clock)
      : options_(std::move(options)), clock_(clock) {}

  // Blocks until the step is over. Others end it through `control`.
  model::Completion run(const model::Assignment& assignment, RunSink& sink, RunControl& control);

 private:
  RunnerOptions options_;
  const base::Clock& clock_;
};

}  // namespace fleetmark::agent::core
