// Stands between a probe and its sink. A sample during which the machine was suspended, or its wall
// clock was set, means nothing and says so: its verdict becomes unverified. A wall clock that is
// wrong all the time disturbs nothing.
#pragma once

#include <string>
#include <vector>

#include "agent/platform/machine_clocks.h"
#include "agent/probes/probe.h"

namespace fleetmark::agent::probes {

// The clocks are compared when the guard is made and at each call. One owner, one thread; both
// references must outlive it.
class ClockGuard final : public SampleSink {
 public:
  ClockGuard(SampleSink& sink, MachineClocks& clocks)
      : sink_(sink), clocks_(clocks), last_(clocks.read()) {}

  void sample(const model::Sample& sample) override;
  void notice(const model::Notice& notice) override;
  void progress(const std::string& text) override;

 private:
  // Something happened between two looks; what began before the second one is touched by it.
  struct Event {
    base::WallTime seen;
    std::string reason;
  };
  void look();

  SampleSink& sink_;
  MachineClocks& clocks_;
  ClockReading last_;
  std::vector<Event> events_;
};

}  // namespace fleetmark::agent::probes
