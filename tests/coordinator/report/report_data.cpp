#include "tests/coordinator/report/report_data.h"

#include <algorithm>

#include "common/stats/summary.h"

namespace fleetmark::coordinator::report::testing {

namespace {

using model::Better;
using model::Unit;
using model::Verdict;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kMiB = 1048576;

ports::ReportStep baseStep(const std::string& runner, const std::string& probe) {
  ports::ReportStep step;
  step.runner = runner;
  step.probe = probe;
  step.protocol = 1;
  step.stepName = "measure";
  step.state = domain::StepState::kMeasured;
  step.attempts = 1;
  step.agent = runner;
  step.agentVersion = "0.1.0";
  step.host.hostname = "bench-host";
  step.host.os = "linux";
  step.host.arch = "x64";
  step.host.cpuModel = "AMD Ryzen 9 7950X3D 16-Core Processor";
  step.host.virtualisation = "kvm";
  step.host.kernel = "6.1.0-28-amd64";
  step.host.osImage = "Debian GNU/Linux 12 (bookworm)";
  step.host.machineId = "5c2f";
  step.host.bootId = "boot-1";
  step.host.machineKey = "machine-1";
  step.host.effectiveCpus = 2;
  step.host.memoryBytes = 8 * base::kGiB;
  step.environmentBeforeJson =
      R"({"compiler":"GNU 12.2.0","compiler_flags":"-O2 -DNDEBUG","load1":0.12})";
  step.environmentAfterJson = R"({"load1":1.02})";
  step.startedAt = base::fromUnixNanos(kStartNs + kSecond);
  step.endedAt = base::fromUnixNanos(kStartNs + 16 * kSecond);
  step.clockOffset = base::Nanos(42'000);
  return step;
}

void addEnding(ports::ReportStep& step, domain::StepState state, const std::string& message) {
  step.state = state;
  step.message = message;
}

}  // namespace

model::Sample sampleOf(const std::string& metric, std::uint32_t index, double value,
                       const std::string& contextJson) {
  return badSample(metric, index, value, Verdict::kOk, {}, contextJson);
}

model::Sample badSample(const std::string& metric, std::uint32_t index, std::optional<double> value,
                        Verdict verdict, std::vector<std::string> reasons,
                        const std::string& contextJson) {
  model::Sample sample;
  sample.metric = metric;
  sample.index = index;
  sample.startedAtNs = kStartNs + (std::int64_t{index} + 1) * 5 * kSecond + 1;
  sample.value = value;
  sample.verdict = verdict;
  sample.reasons = std::move(reasons);
  sample.contextJson = contextJson;
  return sample;
}

ports::ReportMetric metricOf(const std::string& name, Unit unit, Better better,
                             std::uint32_t requested, std::vector<model::Sample> samples) {
  std::vector<double> values;
  for (const auto& sample : samples) {
    if (sample.verdict == Verdict::kOk) values.push_back(sample.value.value());
  }
  auto summary = stats::summarise(values);
  ports::ReportMetric metric;
  metric.metric = name;
  metric.unit = unit;
  metric.better = better;
  metric.headline = true;
  metric.requested = requested;
  metric.attempted = static_cast<std::uint32_t>(samples.size());
  metric.completed = summary.n;
  metric.median = summary.median;
  metric.min = summary.min;
  metric.max = summary.max;
  metric.mean = summary.mean;
  metric.cv = summary.cv;
  metric.p95 = summary.p95;
  metric.p99 = summary.p99;
  metric.method = std::string(stats::kSummaryMethod);
  metric.samples = std::move(samples);
  return metric;
}

ports::ReportMetric metricOf(const std::string& name, Unit unit, const std::vector<double>& values,
                             const std::string& contextJson) {
  std::vector<model::Sample> samples;
  for (double value : values) {
    auto index = static_cast<std::uint32_t>(samples.size());
    samples.push_back(sampleOf(name, index, value, contextJson));
  }
  auto requested = static_cast<std::uint32_t>(samples.size());
  return metricOf(name, unit, Better::kHigher, requested, std::move(samples));
}

ports::ReportStep cpuStep(const std::string& runner, std::vector<ports::ReportMetric> metrics) {
  ports::ReportStep step = baseStep(runner, "cpu");
  step.fingerprint = "3f9a1c0b77d2";
  step.paramsJson = R"({"duration_ns":5000000000,"samples":5})";
  step.placementJson = "{}";
  step.metrics = std::move(metrics);
  return step;
}

ports::ReportStep diskStep(const std::string& runner, std::vector<ports::ReportMetric> metrics) {
  ports::ReportStep step = baseStep(runner, "disk");
  step.fingerprint = "b81e64a90c15";
  step.paramsJson =
      R"({"file_bytes":1073741824,"min_duration_ns":5000000000,"sample_timeout_ns":60000000000,)"
      R"("samples":3})";
  step.placementJson = R"({"path":"/var/tmp"})";
  step.metrics = std::move(metrics);
  return step;
}

ports::ReportStep internetStep(const std::string& runner,
                               std::vector<ports::ReportMetric> metrics) {
  auto step = baseStep(runner, "internet");
  step.fingerprint = "0a1b2c3d4e5f";
  step.paramsJson = R"({"samples":3,"service":"librespeed","transfer_bytes":1073741824,)"
                    R"("url":"https://speed.example.org/backend/"})";
  step.placementJson = R"text({"ca_file":"","name":"LibreSpeed (Amsterdam)"})text";
  step.metrics = std::move(metrics);
  return step;
}

ports::ReportStep selftestStep(const std::string& runner,
                               std::vector<ports::ReportMetric> metrics) {
  ports::ReportStep step = baseStep(runner, "selftest");
  step.fingerprint = "0123456789ab";
  step.paramsJson = R"({"fault":"none","interval_ns":0,"samples":3,"seed":1})";
  step.placementJson = "{}";
  step.metrics = std::move(metrics);
  return step;
}

ports::ReportData campaignOf(std::vector<ports::ReportStep> steps) {
  ports::ReportData data;
  data.campaign.id = base::CampaignId{7};
  data.campaign.name = "quick";
  data.campaign.state = domain::CampaignState::kDone;
  data.campaign.submittedAt = base::fromUnixNanos(kStartNs);
  data.campaign.finishedAt = base::fromUnixNanos(kStartNs + 74 * kSecond);
  data.yaml = "campaign: quick\nprobes:\n  - cpu: {samples: 5, duration: 5s}\n";
  data.order = model::Order::kInterleave;
  data.seed = 20261115;
  data.coordinatorVersion = "0.1.0";
  data.steps = std::move(steps);
  std::uint32_t position = 0;
  for (auto& step : data.steps) {
    step.position = position++;
    step.step = base::StepId{100 + position};
    step.job = base::JobId{50 + position};
    auto same = [&](const model::RunnerSpec& runner) { return runner.name == step.runner; };
    if (std::none_of(data.runners.begin(), data.runners.end(), same)) {
      model::RunnerSpec runner;
      runner.name = step.runner;
      runner.match = {{"os", "linux"}};
      data.runners.push_back(runner);
    }
  }
  data.campaign.stepsTotal = position;
  return data;
}

ports::ReportData typicalCampaign() {
  const std::string pinned = R"({"pinned":true,"utilisation":0.998})";
  const std::string busy = R"({"pinned":true,"utilisation":0.93})";
  const std::string free = R"({"pinned":false})";
  auto rate = [](const std::string& name, std::vector<double> values, const std::string& context) {
    return metricOf(name, Unit::kIterationsPerSecond, values, context);
  };
  auto secondary = [](ports::ReportMetric metric) {
    metric.headline = false;
    return metric;
  };
  auto disk = [](const std::string& name, Unit unit, std::vector<double> values) {
    return metricOf(name, unit, values);
  };

  std::vector<ports::ReportStep> steps;
  steps.push_back(cpuStep(
      "local-a",
      {rate("cpu_rate", {33100, 33120, 33000, 33250, 33180}, pinned),
       secondary(rate("cpu_rate_by_cpu_time", {33166, 33186, 33066, 33317, 33247}, pinned))}));
  steps.push_back(diskStep(
      "local-a",
      {disk("disk_read_rate", Unit::kBytesPerSecond, {1563.93 * kMiB, 1500 * kMiB, 1600 * kMiB}),
       disk("disk_write_rate", Unit::kBytesPerSecond, {710.33 * kMiB, 650 * kMiB, 720.5 * kMiB}),
       disk("disk_random_read_rate", Unit::kOperationsPerSecond, {9757.28, 9700, 9800}),
       disk("disk_random_write_rate", Unit::kOperationsPerSecond, {21341.74, 21000, 22000})}));
  steps.back().notices.push_back(
      {"disk/bypass", "The host's cache can't be bypassed from a guest."});

  auto contended = [&](const std::string& name) {
    return metricOf(name, Unit::kIterationsPerSecond, Better::kHigher, 5,
                    {sampleOf(name, 0, 33900, pinned), sampleOf(name, 1, 33800, pinned),
                     badSample(name, 2, 17000.5, Verdict::kContended,
                               {"CPU time is 93 % of wall time, 98 % is the least"}, busy),
                     sampleOf(name, 3, 34000, pinned), sampleOf(name, 4, 33850, pinned)});
  };
  steps.push_back(
      cpuStep("local-b", {contended("cpu_rate"), secondary(contended("cpu_rate_by_cpu_time"))}));
  steps.back().failedAttempts.push_back("attempt 1 on local-b: agent lost");
  steps.back().attempts = 2;
  auto timedOut = metricOf("disk_random_write_rate", Unit::kOperationsPerSecond, Better::kHigher, 3,
                           {sampleOf("disk_random_write_rate", 0, 20100.25),
                            badSample("disk_random_write_rate", 1, std::nullopt, Verdict::kTimedOut,
                                      {"over its limit of 60 s"}),
                            sampleOf("disk_random_write_rate", 2, 20200.75)});
  steps.push_back(diskStep(
      "local-b",
      {disk("disk_read_rate", Unit::kBytesPerSecond, {492.55 * kMiB, 490 * kMiB, 495 * kMiB}),
       disk("disk_write_rate", Unit::kBytesPerSecond, {130.16 * kMiB, 129 * kMiB, 131 * kMiB}),
       disk("disk_random_read_rate", Unit::kOperationsPerSecond, {4346.7, 4300, 4400}), timedOut}));

  auto mac =
      cpuStep("lab-mac",
              {rate("cpu_rate", {45000, 46000, 44000, 45500, 44500}, free),
               secondary(rate("cpu_rate_by_cpu_time", {45010, 46010, 44010, 45510, 44510}, free))});
  auto macDisk = diskStep("lab-mac", {});
  for (auto* step : {&mac, &macDisk}) {
    step->host = model::HostFacts();
    step->host.hostname = "lab-mac";
    step->host.os = "macos";
    step->host.arch = "arm64";
    step->host.machineKey = "machine-2";
    step->environmentBeforeJson = "{}";
    step->environmentAfterJson = "{}";
    step->clockOffset = base::Nanos(-1'234'567);
  }
  addEnding(macDisk, domain::StepState::kFailed, "disk: no cache bypass on this platform");
  steps.push_back(mac);
  steps.push_back(macDisk);

  auto absent = cpuStep("never-there", {});
  addEnding(absent, domain::StepState::kLost, "no agent took the step 3 times");
  absent.agent.clear();
  absent.agentVersion.clear();
  absent.host = model::HostFacts();
  absent.environmentBeforeJson = "{}";
  absent.environmentAfterJson = "{}";
  absent.startedAt.reset();
  absent.endedAt.reset();
  absent.clockOffset = base::Nanos(0);
  absent.attempts = 3;
  absent.failedAttempts = {"attempt 1: agent lost", "attempt 2: agent lost",
                           "attempt 3: agent lost"};
  steps.push_back(absent);

  auto data = campaignOf(std::move(steps));
  data.title = "Quick look, November";
  data.description = "Two agents on one machine and a Mac";
  data.runners.front().labels = {{"region", "eu-central"}, {"usd_per_minute", "0.0008"}};
  return data;
}

}  // namespace fleetmark::coordinator::report::testing
