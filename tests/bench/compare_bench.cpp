// Compares two result.json of 10,000 samples each, laid out in three ways, and prints the time of
// reading both, of the comparison, and, as a reference, of sorting the same 20,000 values.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "coordinator/compare/comparison.h"
#include "coordinator/report/json.h"

namespace {

using namespace fleetmark;
using namespace fleetmark::coordinator;

constexpr std::size_t kSamples = 10'000;
constexpr int kRounds = 7;

struct Layout {
  const char* name;
  std::size_t machines;
  std::size_t metrics;
};

constexpr Layout kLayouts[] = {
    {"one_metric", 1, 1},
    {"twenty_machines", 20, 1},
    {"hundred_metrics", 1, 100},
};

std::vector<double> valuesOf(base::SeededRandom& random, std::size_t count) {
  std::vector<double> out(count);
  for (double& value : out) value = 33000 * std::exp(0.02 * (random.unit() - random.unit()));
  return out;
}

std::string resultOf(const Layout& layout, std::uint64_t seed) {
  base::SeededRandom random(seed);
  ports::ReportData data;
  data.campaign.name = "bench";
  std::size_t each = kSamples / layout.machines / layout.metrics;
  for (std::size_t machine = 0; machine < layout.machines; ++machine) {
    ports::ReportStep step;
    step.runner = "a";
    step.agent = "agent";
    step.probe = "bench";
    step.fingerprint = "3f9a1c0b77d2";
    step.trial = static_cast<std::uint32_t>(machine + 1);
    step.state = domain::StepState::kMeasured;
    step.host.machineId = "machine " + std::to_string(machine);
    step.host.cpuModel = "CPU";
    for (std::size_t m = 0; m < layout.metrics; ++m) {
      ports::ReportMetric metric;
      metric.metric = "rate_" + std::to_string(m);
      metric.unit = model::Unit::kIterationsPerSecond;
      metric.headline = true;
      metric.requested = metric.attempted = metric.completed = static_cast<std::uint32_t>(each);
      metric.median = metric.min = metric.max = metric.mean = 33000;
      metric.method = "nearest-rank/1";
      for (double value : valuesOf(random, each)) {
        model::Sample sample;
        sample.metric = metric.metric;
        sample.index = static_cast<std::uint32_t>(metric.samples.size());
        sample.value = value;
        sample.contextJson =
            R"({"pinned":true,"cpu":1,"utilisation":0.9987,"steal":0,"load1":0.12})";
        metric.samples.push_back(std::move(sample));
      }
      step.metrics.push_back(std::move(metric));
    }
    data.steps.push_back(std::move(step));
  }
  return report::renderJson(report::buildReportModel(data));
}

// The fastest of some rounds: what the machine did beside it is not what is measured.
template <typename Work>
double bestOf(const Work& work) {
  base::SystemClock clock;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    auto start = clock.mono();
    work();
    best = std::min(best, std::chrono::duration<double>(clock.mono() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  base::SeededRandom random(5);
  auto all = valuesOf(random, 2 * kSamples);
  double sorting = bestOf([&] {
    auto copy = all;
    std::sort(copy.begin(), copy.end());
  });
  if (json) std::printf("{\"sort_seconds\": %.6f", sorting);
  for (const Layout& layout : kLayouts) {
    std::string textA = resultOf(layout, 1);
    std::string textB = resultOf(layout, 2);
    compare::Choice a;
    compare::Choice b;
    double reading = bestOf([&] {
      a.file = *compare::readResult(textA, "A");
      b.file = *compare::readResult(textB, "B");
    });
    std::size_t rows = 0;
    double comparing = bestOf([&] { rows = compare::compareResults(a, b, {})->rows.size(); });
    if (rows != layout.metrics) {
      std::fprintf(stderr, "compare_bench: %zu rows where %zu are wanted\n", rows, layout.metrics);
      return 3;
    }
    if (json) {
      std::printf(", \"%s\": {\"read_seconds\": %.6f, \"compare_seconds\": %.6f}", layout.name,
                  reading, comparing);
    } else {
      std::printf("%-16s read %8.4f s   compare %8.4f s   %7.1f x sorting (%.4f s)\n", layout.name,
                  reading, comparing, comparing / sorting, sorting);
    }
  }
  if (json) std::printf("}\n");
  return 0;
}
