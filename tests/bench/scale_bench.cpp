// A coordinator with its own PostgreSQL (fsync on) under many agents: a campaign of 10,000 no-op
// steps on 100 of them, with and without people who watch; then what 1,000 that have nothing to do
// cost, and how long one of them takes to begin what becomes ready. All agents and watchers stand
// on one loop of this process, on the same processors as the coordinator.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/platform/process.h"
#include "tests/bench/process_cpu.h"
#include "tests/bench/steps_agent.h"
#include "tests/bench/steps_fleet.h"

namespace fleetmark::bench {
namespace {

struct Options {
  std::size_t busy = 100;     // agents of the big campaign
  std::size_t steps = 10000;  // its steps
  std::size_t watchers = 10;
  std::size_t idle = 1000;
  std::size_t starts = 200;  // one-step campaigns while the others idle
  int idleSeconds = 30;
  int limitSeconds = 300;
  std::string coordinator;
  bool json = false;
};

struct Throughput {
  double stepsPerSecond = 0;
  CpuSplit msPerStep;  // from the answer to submit on
  std::size_t eventsSeen = 0;
};

struct Figures {
  Throughput alone, watched;
  double startP50 = 0, startP99 = 0;  // ms, from the answer of submit to the assignment
  std::size_t starts = 0;
  CpuSplit idlePercent;  // of one processor
  double kibPerAgent = 0;
};

double percentile(std::vector<double> values, double of100) {  // nearest rank
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  auto rank = static_cast<std::size_t>(std::ceil(of100 / 100 * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), fleet_(loop_, options.coordinator, "") {}

  Figures run() {
    Figures out;
    growTo(options_.busy);
    out.alone = throughput(0);
    out.watched = throughput(options_.watchers);
    const double before = memoryKib();
    const std::size_t few = agents_.size();
    growTo(options_.idle);
    settle();
    out.kibPerAgent = (memoryKib() - before) / static_cast<double>(options_.idle - few);
    const CpuSplit cpuBefore = cpu();
    pause(options_.idleSeconds);
    const CpuSplit used = cpu() - cpuBefore;
    const double percent = 100.0 / options_.idleSeconds;
    out.idlePercent = {used.coordinator * percent, used.database * percent,
                       used.simulated * percent};
    std::vector<double> starts;
    for (std::size_t i = 0; i < options_.starts; ++i) starts.push_back(startMs());
    out.starts = starts.size();
    out.startP50 = percentile(starts, 50);
    out.startP99 = percentile(starts, 99);
    return out;
  }

 private:
  void pause(int seconds) { loop_.timer().afterDelay(seconds * kj::SECONDS).wait(loop_.scope()); }
  void settle() { pause(3); }

  void growTo(std::size_t count) {
    while (agents_.size() < count) {
      std::string name = "simulated-" + std::to_string(agents_.size() + 1);
      agents_.push_back(std::make_unique<SimulatedAgent>(loop_, log_, fleet_.enrol(name), name));
      agents_.back()->start(fleet_.address()).wait(loop_.scope());
      if (agents_.size() % 100 == 0) {
        std::fprintf(stderr, "scale_bench: %zu agents\n", agents_.size());
      }
    }
  }

  void within(kj::Promise<void> promise, const char* what) {
    for (auto& agent : agents_) promise = promise.exclusiveJoin(agent->failed());
    bool done =
        promise.then([] { return true; })
            .exclusiveJoin(loop_.timer().afterDelay(options_.limitSeconds * kj::SECONDS).then([] {
              return false;
            }))
            .wait(loop_.scope());
    KJ_REQUIRE(done, "not done in time", what);
  }

  Throughput throughput(std::size_t watchers) {
    settle();
    log_.reset();
    Throughput out;
    CpuSplit before;
    kj::Vector<kj::Promise<void>> watching;
    auto all = fleet_.submit(options_.steps).then([&](std::int64_t id) {
      before = cpu();
      for (std::size_t i = 0; i < watchers; ++i) {
        watching.add(fleet_.watch(id, out.eventsSeen).eagerlyEvaluate(nullptr));
      }
      return log_.whenStored(options_.steps);
    });
    within(kj::mv(all), "the campaign");
    double seconds = std::chrono::duration<double>(*log_.lastStored - *log_.firstAssigned).count();
    auto steps = static_cast<double>(options_.steps);
    out.stepsPerSecond = steps / seconds;
    const CpuSplit used = cpu() - before;
    const double each = 1000 / steps;
    out.msPerStep = {used.coordinator * each, used.database * each, used.simulated * each};
    return out;
  }

  double startMs() {
    loop_.timer().afterDelay(20 * kj::MILLISECONDS).wait(loop_.scope());
    log_.reset();
    base::MonoTime answered;
    auto all = fleet_.submit(1).then([&](std::int64_t) {
      answered = clock_.mono();
      return log_.whenStored(1);
    });
    within(kj::mv(all), "a no-op step");
    // An agent may have it before the operator's answer is here.
    auto waited = std::max(*log_.lastAssigned - answered, base::Nanos(0));
    return static_cast<double>(waited.count()) / 1e6;
  }

  CpuSplit cpu() const { return cpuSoFar(fleet_.coordinatorPid()); }
  double memoryKib() const { return residentKib(fleet_.coordinatorPid()); }

  const Options& options_;
  base::SystemClock clock_;
  rpc::UvLoop loop_;
  StepsFleet fleet_;
  StepLog log_;
  std::vector<std::unique_ptr<SimulatedAgent>> agents_;
};

// The three as members of a JSON object, or as text.
std::string splitJson(const CpuSplit& split) {
  char text[160];
  std::snprintf(text, sizeof text,
                "{\"coordinator\":%.3f,\"database\":%.3f,\"simulated_agents\":%.3f}",
                split.coordinator, split.database, split.simulated);
  return text;
}
std::string splitText(const CpuSplit& split, const char* unit) {
  char text[160];
  std::snprintf(text, sizeof text, "coordinator %.2f, PostgreSQL %.2f, simulated agents %.2f %s",
                split.coordinator, split.database, split.simulated, unit);
  return text;
}

void printJson(const Options& options, const Figures& figures) {
  std::printf(
      "{\"schema\":\"fleetmark.scale-bench/v2\",\"agents\":%zu,\"steps\":%zu,"
      "\"steps_per_second\":%.1f,\"cpu_ms_per_step\":%s,\"watchers\":%zu,"
      "\"watched_steps_per_second\":%.1f,\"watched_cpu_ms_per_step\":%s,"
      "\"events_seen\":%zu,\"idle_agents\":%zu,\"idle_cpu_percent\":%s,"
      "\"kib_per_agent\":%.1f,\"starts\":%zu,\"start_p50_ms\":%.2f,\"start_p99_ms\":%.2f}\n",
      options.busy, options.steps, figures.alone.stepsPerSecond,
      splitJson(figures.alone.msPerStep).c_str(), options.watchers, figures.watched.stepsPerSecond,
      splitJson(figures.watched.msPerStep).c_str(), figures.watched.eventsSeen, options.idle,
      splitJson(figures.idlePercent).c_str(), figures.kibPerAgent, figures.starts, figures.startP50,
      figures.startP99);
}

void print(const Options& options, const Figures& figures) {
  if (options.json) {
    printJson(options, figures);
    return;
  }
  std::printf("%zu steps on %zu agents          %8.0f steps/s\n", options.steps, options.busy,
              figures.alone.stepsPerSecond);
  std::printf("  CPU a step: %s\n", splitText(figures.alone.msPerStep, "ms").c_str());
  std::printf("the same with %zu watchers         %8.0f steps/s  %zu events seen\n",
              options.watchers, figures.watched.stepsPerSecond, figures.watched.eventsSeen);
  std::printf("  CPU a step: %s\n", splitText(figures.watched.msPerStep, "ms").c_str());
  std::printf("%zu idle agents                  %8.1f KiB each\n", options.idle,
              figures.kibPerAgent);
  std::printf("  CPU: %s\n", splitText(figures.idlePercent, "% of a processor").c_str());
  std::printf("ready to started, %zu times        p50 %.1f ms  p99 %.1f ms\n", figures.starts,
              figures.startP50, figures.startP99);
}

}  // namespace
}  // namespace fleetmark::bench

int main(int argc, char** argv) {
  using namespace fleetmark;
  bench::Options options;
  std::string own = platform::ownExecutable();
  options.coordinator = own.substr(0, own.rfind('/')) + "/fleetmark-coordinator";
  bool quick = false;
  CLI::App app(
      "Examples:\n  scale_bench\n  scale_bench --quick --json\n\n"
      "Measures a coordinator under many agents; see docs/benchmarks.md.");
  app.add_option("--busy", options.busy, "agents of the big campaign");
  app.add_option("--steps", options.steps, "its steps");
  app.add_option("--watchers", options.watchers, "who follow it the second time");
  app.add_option("--idle", options.idle, "agents that have nothing to do; more than --busy");
  app.add_option("--starts", options.starts, "one-step campaigns while the others idle");
  app.add_option("--coordinator", options.coordinator, "the program to measure");
  app.add_flag("--quick", quick, "1,000 steps on 50 agents, 200 idle ones");
  app.add_flag("--json", options.json, "one JSON object");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    options.busy = 50;
    options.steps = 1000;
    options.idle = 200;
    options.starts = 50;
    options.idleSeconds = 5;
  }
  platform::StopSignal::install();
  try {
    bench::print(options, bench::Bench(options).run());
  } catch (const kj::Exception& error) {
    std::fprintf(stderr, "scale_bench: %s\n", error.getDescription().cStr());
    return 3;
  }
  return 0;
}
