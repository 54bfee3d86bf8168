// What a probe implements. It runs in a child process of the agent, on that process's main
// thread; see docs/architecture.md, "Processes on a host".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/model/sample.h"
#include "common/probes/spec.h"

namespace fleetmark::agent {
class Platform;
}

namespace fleetmark::agent::probes {

// Where a probe puts what it measures, as it goes. Calls return quickly (a buffered pipe) and must
// stand outside every timed window.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void sample(const model::Sample& sample) = 0;
  virtual void notice(const model::Notice& notice) = 0;
  // What is happening now, for people: "rand-read 2/5".
  virtual void progress(const std::string& text) = 0;
};

struct ProbeContext {
  const fleetmark::probes::Params& params;
  Platform& platform;  // operating-system facts and direct I/O, agent/platform
  const base::Clock& clock;
  SampleSink& sink;
};

class Probe {
 public:
  virtual ~Probe() = default;
  // Ok: everything requested was attempted; each sample carries its own verdict. An error is a
  // measurement failure (kUnsupported, kUnavailable, kInvalid, kDenied) with a message that says
  // what to do, or our fault (kInternal). Samples sent before the error stand.
  virtual base::Status run(const ProbeContext& context) = 0;
};

// nullptr: no such probe. The registry is all_probes.def.
std::unique_ptr<Probe> makeProbe(std::string_view name);

}  // namespace fleetmark::agent::probes
