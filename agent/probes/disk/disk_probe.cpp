#include "agent/probes/probe.h"

namespace fleetmark::agent::probes {

namespace {

class DiskProbe final : public Probe {
 public:
  base::Status run(const ProbeContext&) override {
    return base::unsupported("the disk probe isn't in this build yet");
  }
};

}  // namespace

std::unique_ptr<Probe> diskProbe() { return std::make_unique<DiskProbe>(); }

}  // namespace fleetmark::agent::probes
