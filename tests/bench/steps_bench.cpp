// No-op steps on a real coordinator with its own PostgreSQL (fsync on): how long one takes from
// submit to stored result, how many a second 1, 10 and 100 simulated agents do, and what handing
// out the next one costs. All agents and the operator stand on one loop of this process.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/platform/files.h"
#include "tests/bench/steps_agent.h"
#include "tests/bench/steps_fleet.h"

namespace fleetmark::bench {
namespace {

constexpr double kScheduleAimMs = 10;
constexpr auto kIdlePause = 20 * kj::MILLISECONDS;  // the agent is back at waiting for work

struct Options {
  std::size_t campaigns = 200;
  std::vector<std::size_t> agents = {1, 10, 100};
  std::vector<std::size_t> steps = {500, 1000, 2000};
  int limitSeconds = 60;  // of one campaign
  std::string coordinator;
  std::string dataDir;
  bool quick = false;
  bool json = false;
};

struct Percentiles {
  double p50 = 0;  // ms
  double p99 = 0;
  std::size_t n = 0;
};

Percentiles percentiles(std::vector<base::Nanos> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  auto rank = [&samples](double of100) {  // nearest rank
    auto place =
        static_cast<std::size_t>(std::ceil(of100 / 100.0 * static_cast<double>(samples.size())));
    return static_cast<double>(samples[std::max<std::size_t>(place, 1) - 1].count()) / 1e6;
  };
  return {rank(50), rank(99), samples.size()};
}

struct Throughput {
  std::size_t agents = 0;
  std::size_t steps = 0;
  std::size_t stored = 0;
  double seconds = 0;  // from the first assignment to the last stored result
  double submitSeconds = 0;
  double rate() const { return seconds > 0 ? static_cast<double>(stored) / seconds : 0; }
};

struct Figures {
  Percentiles sync;                           // 8 KiB appended and synced in the data folder
  Percentiles step;                           // submit to stored result
  Percentiles submitted, assigned, recorded;  // its parts, each from the end of the one before
  Percentiles schedule, complete;             // one agent, work always there
  std::vector<Throughput> throughput;
};

// What one durable write costs where the database stands: the floor under every commit.
Percentiles measureSync(const std::string& folder, std::size_t times) {
  const base::SystemClock clock;
  const std::string path = folder + "/sync";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  KJ_REQUIRE(file >= 0, "can't make a file for the storage reference", path.c_str());
  KJ_DEFER(::close(file); ::unlink(path.c_str()));
  const std::string block(8192, 'x');
  std::vector<base::Nanos> samples;
  for (std::size_t i = 0; i < times; ++i) {
    // As a write-ahead log does: in place, in a file whose blocks are there.
    const auto begin = clock.mono();
    KJ_REQUIRE(::pwrite(file, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()));
    KJ_REQUIRE(::fdatasync(file) == 0);
    if (i > 0) samples.push_back(clock.mono() - begin);
  }
  return percentiles(std::move(samples));
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), fleet_(loop_, options.coordinator, options.dataDir) {}

  Figures run() {
    Figures out;
    out.sync = measureSync(fleet_.folder(), options_.quick ? 50 : 200);
    growTo(1);
    latency(options_.quick ? 5 : 20, out);  // warm-up
    latency(options_.campaigns, out);
    for (std::size_t i = 0; i < options_.agents.size(); ++i) {
      growTo(options_.agents[i]);
      out.throughput.push_back(throughput(options_.steps[i]));
      if (options_.agents[i] != 1) continue;
      out.schedule = percentiles(log_.gaps);
      out.complete = percentiles(log_.completions);
    }
    return out;
  }

 private:
  void growTo(std::size_t count) {
    while (agents_.size() < count) {
      std::string name = "simulated-" + std::to_string(agents_.size() + 1);
      agents_.push_back(std::make_unique<SimulatedAgent>(loop_, log_, fleet_.enrol(name), name));
      agents_.back()->start(fleet_.address()).wait(loop_.scope());
    }
    loop_.timer().afterDelay(kIdlePause).wait(loop_.scope());
  }

  // True: done; false: the limit came first. An agent that could not go on is thrown.
  bool within(kj::Promise<void> promise) {
    for (auto& agent : agents_) promise = promise.exclusiveJoin(agent->failed());
    return promise.then([] { return true; })
        .exclusiveJoin(loop_.timer().afterDelay(options_.limitSeconds * kj::SECONDS).then([] {
          return false;
        }))
        .wait(loop_.scope());
  }

  void latency(std::size_t campaigns, Figures& out) {
    std::vector<base::Nanos> whole, submitted, assigned, recorded;
    for (std::size_t i = 0; i < campaigns; ++i) {
      loop_.timer().afterDelay(kIdlePause).wait(loop_.scope());
      log_.reset();
      base::MonoTime answered;
      const auto begin = clock_.mono();
      auto submit =
          fleet_.submit(1).then([this, &answered](std::int64_t) { answered = clock_.mono(); });
      auto both = kj::heapArrayBuilder<kj::Promise<void>>(2);
      both.add(submit.eagerlyEvaluate(nullptr));  // notes the time when the answer comes
      both.add(log_.whenStored(1));
      KJ_REQUIRE(within(kj::joinPromises(both.finish())), "a no-op step was not done in time");
      whole.push_back(*log_.lastStored - begin);
      submitted.push_back(answered - begin);
      assigned.push_back(*log_.lastAssigned - answered);
      recorded.push_back(*log_.lastStored - *log_.lastAssigned);
    }
    out.step = percentiles(std::move(whole));
    out.submitted = percentiles(std::move(submitted));
    out.assigned = percentiles(std::move(assigned));
    out.recorded = percentiles(std::move(recorded));
  }

  Throughput throughput(std::size_t steps) {
    log_.reset();
    const auto begin = clock_.mono();
    std::int64_t campaign = 0;
    base::MonoTime answered;
    auto submit = fleet_.submit(steps).then([&](std::int64_t id) {
      campaign = id;
      answered = clock_.mono();
    });
    auto both = kj::heapArrayBuilder<kj::Promise<void>>(2);
    both.add(submit.eagerlyEvaluate(nullptr));  // notes the time when the answer comes
    both.add(log_.whenStored(steps));
    const bool done = within(kj::joinPromises(both.finish()));
    KJ_REQUIRE(log_.stored > 0, "no step was done in time", steps);
    Throughput out;
    out.agents = agents_.size();
    out.steps = steps;
    out.stored = log_.stored;
    out.seconds = std::chrono::duration<double>(*log_.lastStored - *log_.firstAssigned).count();
    out.submitSeconds = std::chrono::duration<double>(answered - begin).count();
    if (done) {
      const auto end = fleet_.end(campaign);
      KJ_REQUIRE(end.state == "done" && end.measured == steps,
                 "the campaign does not hold what was stored", end.state.c_str(), end.measured);
    } else {
      fleet_.cancel(campaign);
    }
    return out;
  }

  const Options& options_;
  base::SystemClock clock_;
  rpc::UvLoop loop_;
  StepsFleet fleet_;
  StepLog log_;
  std::vector<std::unique_ptr<SimulatedAgent>> agents_;
};

void printRow(const char* what, const Percentiles& figure) {
  std::printf("| %-52s | %9.2f | %9.2f | %6zu |\n", what, figure.p50, figure.p99, figure.n);
}

void printTable(const Figures& figures) {
  std::printf("| %-52s | %9s | %9s | %6s |\n", "no-op step, one agent", "p50 ms", "p99 ms", "n");
  std::printf("| --- | --: | --: | --: |\n");
  printRow("submit to stored result, agent idle", figures.step);
  printRow("  submit to its answer", figures.submitted);
  printRow("  answer of submit to assignment", figures.assigned);
  printRow("  assignment to stored result", figures.recorded);
  printRow("scheduling: completion's answer to next assignment", figures.schedule);
  printRow("completion, to the answer", figures.complete);
  printRow("reference: 8 KiB written and synced in that folder", figures.sync);
  std::printf("\n| %7s | %7s | %9s | %8s | %8s |\n", "agents", "steps", "steps/s", "seconds",
              "submit s");
  std::printf("| --: | --: | --: | --: | --: |\n");
  for (const auto& row : figures.throughput) {
    std::printf("| %7zu | %7zu | %9.1f | %8.2f | %8.2f |%s\n", row.agents, row.steps, row.rate(),
                row.seconds, row.submitSeconds,
                row.stored < row.steps ? " stopped at the time limit" : "");
  }
  std::printf("\naim: scheduling under %.0f ms p50: %s\n", kScheduleAimMs,
              figures.schedule.n == 0                 ? "not measured"
              : figures.schedule.p50 < kScheduleAimMs ? "met"
                                                      : "missed");
}

void printJsonPart(const char* key, const Percentiles& figure) {
  std::printf(",\"%s\":{\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"n\":%zu}", key, figure.p50, figure.p99,
              figure.n);
}

void printJson(const Figures& figures) {
  std::printf("{\"schema\":\"fleetmark.steps-bench/v1\"");
  printJsonPart("submit_to_stored", figures.step);
  printJsonPart("submit", figures.submitted);
  printJsonPart("submitted_to_assigned", figures.assigned);
  printJsonPart("assigned_to_stored", figures.recorded);
  printJsonPart("schedule", figures.schedule);
  printJsonPart("complete", figures.complete);
  printJsonPart("sync", figures.sync);
  std::printf(",\"throughput\":[");
  for (std::size_t i = 0; i < figures.throughput.size(); ++i) {
    const auto& row = figures.throughput[i];
    std::printf(
        "%s{\"agents\":%zu,\"steps\":%zu,\"stored\":%zu,\"seconds\":%.3f,"
        "\"submit_seconds\":%.3f,\"steps_per_second\":%.1f}",
        i == 0 ? "" : ",", row.agents, row.steps, row.stored, row.seconds, row.submitSeconds,
        row.rate());
  }
  std::printf("]}\n");
}

std::string besideThisProgram(const std::string& name) {
  const std::string own = platform::ownExecutable();
  return own.substr(0, own.rfind('/') + 1) + name;
}

int run(int argc, char** argv) {
  platform::StopSignal::install();
  Options options;
  options.coordinator = besideThisProgram("fleetmark-coordinator");
  CLI::App app(
      "Examples:\n"
      "  steps_bench                        all figures, about a minute\n"
      "  steps_bench --quick --json         few steps, for a script\n"
      "  steps_bench --agents 1,50 --steps 200,1000 --data-dir /var/tmp\n");
  auto* campaigns =
      app.add_option("--campaigns", options.campaigns, "one-step campaigns, one after another")
          ->check(CLI::Range(1, 10'000));
  app.add_option("--agents", options.agents, "numbers of simulated agents, ascending")
      ->delimiter(',')
      ->check(CLI::Range(1, 500));
  auto* steps = app.add_option("--steps", options.steps, "steps of the campaign for each of them")
                    ->delimiter(',')
                    ->check(CLI::Range(1, 10'000));
  app.add_option("--limit", options.limitSeconds, "seconds that one campaign may take")
      ->check(CLI::Range(1, 3600));
  app.add_option("--coordinator", options.coordinator, "the program to measure");
  app.add_option("--data-dir", options.dataDir,
                 "absolute folder in which the database is made and removed; else TMPDIR or /tmp");
  app.add_flag("--quick", options.quick, "30 campaigns; 100, 200 and 300 steps");
  app.add_flag("--json", options.json, "one JSON object instead of tables");
  app.footer("\nExit codes: 0 measured, 2 bad arguments, 3 something did not run.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.quick && campaigns->empty()) options.campaigns = 30;
  if (options.quick && steps->empty()) options.steps = {100, 200, 300};
  if (options.agents.size() != options.steps.size() ||
      !std::is_sorted(options.agents.begin(), options.agents.end())) {
    std::fprintf(stderr,
                 "steps_bench: --agents must ascend and --steps name as many numbers (%zu and %zu "
                 "were given)\n",
                 options.agents.size(), options.steps.size());
    return 2;
  }
  try {
    Bench bench(options);
    const Figures figures = bench.run();
    options.json ? printJson(figures) : printTable(figures);
    return 0;
  } catch (const kj::Exception& error) {
    std::fprintf(stderr, "steps_bench: %s\n", error.getDescription().cStr());
    return 3;
  }
}

}  // namespace
}  // namespace fleetmark::bench

int main(int argc, char** argv) { return fleetmark::bench::run(argc, argv); }
