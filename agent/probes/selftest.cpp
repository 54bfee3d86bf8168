#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "agent/probes/probe.h"
#include "common/crypto/digest.h"
#include "common/platform/process.h"

namespace fleetmark::agent::probes {

namespace {

using namespace std::chrono_literals;

double valueAt(std::int64_t seed, std::int64_t index) {
  auto digest = crypto::sha256Hex(std::to_string(seed) + "/" + std::to_string(index));
  return static_cast<double>(std::stoul(digest.substr(0, 8), nullptr, 16));
}

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(1h);
}

// Lets a child go on when this process ends: the destructor would kill it and its group. What is
// kept can still be reached, so that no leak checker takes it for lost.
void forget(std::unique_ptr<platform::Process> child) {
  static auto* kept = new std::vector<std::unique_ptr<platform::Process>>;
  kept->push_back(std::move(child));
}

// A process of this one's group that outlives it: what a careless tool leaves behind.
base::Status leaveOrphan() {
  platform::SpawnOptions options;
  options.program = "/bin/sleep";
  options.arguments = {"1000"};
  options.ownProcessGroup = false;
  options.dieWithParent = false;
  FM_TRY_ASSIGN(auto child, platform::spawn(options));
  forget(std::move(child));
  return {};
}

// A process that no group and no session connects with this one: what a daemon does.
base::Status leaveDaemon() {
  platform::SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", "sleep 1000 &"};
  options.ownSession = true;
  options.dieWithParent = false;
  FM_TRY_ASSIGN(auto child, platform::spawn(options));
  static_cast<void>(child->wait(10s));
  forget(std::move(child));
  return {};
}

// Doesn't return for the faults that end or stop the process.
base::Status commit(const std::string& fault, std::int64_t produced) {
  if (fault == "fail") {
    return base::unavailable("selftest was asked to fail and did, after " +
                             std::to_string(produced) + " values; take 'fault' away");
  }
  if (fault == "crash") std::abort();
  if (fault == "exit") std::_Exit(3);
  if (fault == "hang") hang();
  if (fault == "ignore-term") {
    std::signal(SIGTERM, SIG_IGN);
    hang();
  }
  if (fault == "garbage") {
    // The probe's pipe is its standard output.
    const std::string junk(4096, '\xa5');
    std::fwrite(junk.data(), 1, junk.size(), stdout);
    std::fflush(stdout);
    return {};
  }
  if (fault == "orphan") return leaveOrphan();
  if (fault == "escape") return leaveDaemon();
  return {};
}

class SelftestProbe final : public Probe {
 public:
  base::Status run(const ProbeContext& context) override {
    const auto samples = context.params.count("samples");
    const auto interval = context.params.duration("interval");
    const auto seed = context.params.count("seed");
    const auto fault = context.params.text("fault");
    for (std::int64_t index = 0; index < samples; ++index) {
      if (index == samples / 2) {
        FM_TRY(commit(fault, index));
      }
      if (interval > 0ns && platform::StopSignal::waitFor(interval)) {
        return base::unavailable("selftest was stopped by a signal");
      }
      model::Sample sample;
      sample.metric = "selftest_value";
      sample.index = static_cast<std::uint32_t>(index);
      sample.startedAtNs = base::toUnixNanos(context.clock.wall());
      sample.value = valueAt(seed, index);
      context.sink.sample(sample);
    }
    if (samples == 0) {
      FM_TRY(commit(fault, 0));
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Probe> selftestProbe() { return std::make_unique<SelftestProbe>(); }

}  // namespace fleetmark::agent::probes
