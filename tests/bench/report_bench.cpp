// Renders a campaign of N samples (default 1,000,000) with evidence in all three formats and
// prints time, size and the process's peak memory after each.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/base/clock.h"
#include "coordinator/report/csv.h"
#include "coordinator/report/json.h"
#include "coordinator/report/markdown.h"

namespace {

using namespace fleetmark;
using namespace fleetmark::coordinator;

class Counter final : public report::Output {
 public:
  void write(std::string_view piece) override { bytes_ += piece.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

ports::ReportData campaignWith(std::uint32_t count) {
  ports::ReportMetric metric;
  metric.metric = "cpu_rate";
  metric.unit = model::Unit::kIterationsPerSecond;
  metric.headline = true;
  metric.requested = metric.attempted = metric.completed = count;
  metric.median = metric.min = metric.max = metric.mean = 33120;
  metric.cv = 0.004;
  metric.method = "nearest-rank/1";
  metric.samples.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& sample = metric.samples[i];
    sample.metric = "cpu_rate";
    sample.index = i;
    sample.startedAtNs = 1'796'054'977'000'000'000 + std::int64_t{i} * 1'000'003;
    sample.value = 33000 + i % 997 / 7.0;
    sample.contextJson = R"({"pinned":true,"cpu":1,"utilisation":0.9987,"steal":0,"load1":0.12})";
  }
  ports::ReportStep step;
  step.runner = "a";
  step.agent = "a";
  step.probe = "cpu";
  step.fingerprint = "3f9a1c0b77d2";
  step.state = domain::StepState::kMeasured;
  step.metrics.push_back(std::move(metric));
  ports::ReportData data;
  data.campaign.name = "bench";
  data.steps.push_back(std::move(step));
  return data;
}

long peakMiB() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

template <typename Work>
void measure(const char* name, std::uint32_t samples, const Work& work) {
  base::SystemClock clock;
  auto start = clock.mono();
  std::size_t bytes = work();
  double seconds = std::chrono::duration<double>(clock.mono() - start).count();
  std::printf("%-10s %8.2f s %12.0f samples/s %8.1f MiB   peak %ld MiB\n", name, seconds,
              samples / seconds, static_cast<double>(bytes) / 1048576, peakMiB());
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long asked = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  auto count = static_cast<std::uint32_t>(asked);
  if (count == 0) {
    std::fprintf(stderr, "report_bench: '%s' is no number of samples; give one from 1 on\n",
                 argv[1]);
    return 2;
  }
  auto data = campaignWith(count);
  std::printf("%-10s %40ld MiB\n", "rows", peakMiB());
  report::ReportModel model;
  measure("model", count, [&] {
    model = report::buildReportModel(data);
    return std::size_t{0};
  });
  measure("json", count, [&] {
    Counter out;
    report::renderJson(model, out);
    return out.bytes();
  });
  measure("csv", count, [&] {
    Counter out;
    report::renderCsv(model, out);
    return out.bytes();
  });
  measure("markdown", count, [&] { return report::renderMarkdown(model).size(); });
  return 0;
}
