#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/platform/platform.h"
#include "agent/probes/contention_json.h"
#include "agent/probes/cpu/int_kernel.h"
#include "agent/probes/cpu/verdict.h"
#include "agent/probes/probe.h"
#include "common/platform/process.h"

namespace fleetmark::agent::probes {

namespace {

using namespace std::chrono_literals;
using cpu::IntKernel;

constexpr base::Nanos kPilot = 100ms;
constexpr base::Nanos kLongestBatch = 10ms;  // a clock reading, some 50 ns, is then 0.0005 %

struct Pin {
  int cpu = 0;
  std::vector<int> allowed;
};

struct Measured {
  base::Nanos wall{0};
  base::Nanos cpuTime{0};
  std::int64_t iterations = 0;
  std::int64_t wrong = 0;  // iterations whose check value differed
};

base::Result<Pin> pinThread(CpuAffinity& affinity) {
  FM_TRY_ASSIGN(auto allowed, affinity.allowed());
  if (allowed.empty()) return base::unsupported("the system allows this thread no CPU at all");
  // The highest: devices' interrupts and housekeeping tend to sit on the lowest.
  int cpu = allowed.back();
  FM_TRY(affinity.pin(cpu));
  FM_TRY_ASSIGN(auto now, affinity.allowed());
  if (now != std::vector<int>{cpu}) {
    return base::denied("the pin to CPU " + std::to_string(cpu) +
                        " was accepted but isn't in force: " + std::to_string(now.size()) +
                        " CPUs are allowed; does something else set this process's affinity?");
  }
  return Pin{cpu, std::move(allowed)};
}

std::int64_t runBatch(IntKernel& kernel, std::int64_t iterations) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < iterations; ++i) wrong += kernel.iterate() != IntKernel::kCheck;
  return wrong;
}

// Unreported: warms caches and clocks, and says how many iterations a batch needs.
std::int64_t batchSize(IntKernel& kernel, const base::Clock& clock, base::Nanos duration) {
  const auto pilot = std::min(kPilot, duration);
  const auto start = clock.mono();
  std::int64_t done = 0;
  base::Nanos elapsed{0};
  for (std::int64_t batch = 1; elapsed < pilot; batch = std::min<std::int64_t>(batch * 2, 4096)) {
    runBatch(kernel, batch);
    done += batch;
    elapsed = clock.mono() - start;
  }
  const auto target = std::min(kLongestBatch, duration / 20);
  return std::max<std::int64_t>(1,
                                done * target.count() / std::max<std::int64_t>(1, elapsed.count()));
}

base::Result<Measured> measure(const ProbeContext& context, IntKernel& kernel, std::int64_t batch,
                               base::Nanos duration) {
  Measured out;
  const auto start = context.clock.mono();
  FM_TRY_ASSIGN(auto cpuStart, context.platform.contention().threadCpuTime());
  do {
    out.wrong += runBatch(kernel, batch);
    out.iterations += batch;
  } while (context.clock.mono() - start < duration);
  FM_TRY_ASSIGN(auto cpuEnd, context.platform.contention().threadCpuTime());
  out.wall = context.clock.mono() - start;
  out.cpuTime = cpuEnd - cpuStart;
  return out;
}

double perSecond(std::int64_t count, base::Nanos time) {
  return static_cast<double>(count) * 1e9 / static_cast<double>(time.count());
}

class CpuProbe final : public Probe {
 public:
  base::Status run(const ProbeContext& context) override {
    const auto samples = context.params.count("samples");
    const auto duration = context.params.duration("duration");
    FM_TRY_ASSIGN(Pin pin, pinThread(context.platform.affinity()));
    IntKernel kernel;
    context.sink.progress("pilot");
    const auto batch = batchSize(kernel, context.clock, duration);
    for (std::int64_t index = 0; index < samples; ++index) {
      if (platform::StopSignal::requested()) return base::unavailable("stopped by a signal");
      context.sink.progress("sample " + std::to_string(index + 1) + "/" + std::to_string(samples));
      FM_TRY(sampleOnce(context, kernel, pin, batch, duration, static_cast<std::uint32_t>(index)));
    }
    return {};
  }

 private:
  static base::Status sampleOnce(const ProbeContext& context, IntKernel& kernel, const Pin& pin,
                                 std::int64_t batch, base::Nanos duration, std::uint32_t index) {
    auto& affinity = context.platform.affinity();
    auto& contention = context.platform.contention();
    auto inForce = [&] {
      auto now = affinity.allowed();
      return now.has_value() && *now == std::vector<int>{pin.cpu};
    };
    model::Sample sample;
    sample.index = index;
    bool pinned = inForce();
    sample.startedAtNs = base::toUnixNanos(context.clock.wall());
    const auto before = contention.read();
    FM_TRY_ASSIGN(Measured measured, measure(context, kernel, batch, duration));
    const auto after = contention.read();
    pinned = inForce() && pinned;

    const double utilisation =
        static_cast<double>(measured.cpuTime.count()) / static_cast<double>(measured.wall.count());
    cpu::judge(sample, {utilisation, pinned, measured.iterations, measured.wrong});
    nlohmann::json about{
        {"kernel", cpu::kKernelName},
        {"kernel_version", cpu::kKernelVersion},
        {"iterations", measured.iterations},
        {"batch", batch},
        {"check_expected", IntKernel::kCheck},
        {"iterations_wrong", measured.wrong},
        {"wall_ns", measured.wall.count()},
        {"cpu_ns", measured.cpuTime.count()},
        {"utilisation", utilisation},
        {"pinned_cpu", pin.cpu},
        {"pin_in_force", pinned},
        {"allowed_cpus", pin.allowed.size()},
        {"contention",
         nlohmann::json::parse(contentionJson(before, after, measured.wall), nullptr, false)},
    };
    sample.contextJson = about.dump();

    sample.metric = "cpu_rate";
    sample.value = perSecond(measured.iterations, measured.wall);
    context.sink.sample(sample);
    sample.metric = "cpu_rate_by_cpu_time";
    sample.value = std::nullopt;
    if (measured.cpuTime > 0ns) sample.value = perSecond(measured.iterations, measured.cpuTime);
    context.sink.sample(sample);
    return {};
  }
};

}  // namespace

std::unique_ptr<Probe> cpuProbe() { return std::make_unique<CpuProbe>(); }

}  // namespace fleetmark::agent::probes
