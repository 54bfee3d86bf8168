// The rows that a report is made of.
#include <algorithm>
#include <map>
#include <tuple>

#include "coordinator/store/campaign_store.h"
#include "coordinator/store/sample_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kCampaign{"report_campaign", R"sql(
SELECT title, description, yaml, dispatch_order, seed, coordinator_version
FROM campaign WHERE id = $1)sql"};

constexpr Statement kRunners{"report_runners", R"sql(
SELECT name, provider, match, labels FROM runner WHERE campaign_id = $1 ORDER BY position)sql"};

constexpr Statement kSteps{"report_steps", R"sql(
SELECT s.id, s.job_id, r.name, p.probe, p.protocol, p.fingerprint, p.params, j.placement, j.trial,
       s.name, s.position, s.state, s.message, s.attempts,
       x.id, a.name, h.hostname, e.os, e.arch, e.cpu_model, e.virtualisation, e.kernel, e.os_image,
       h.machine_id, x.boot_id, x.machine_key, e.effective_cpus, e.memory_bytes, e.document,
       x.agent_version, coalesce(x.environment_before, '{}'), coalesce(x.environment_after, '{}'),
       unix_ns(x.started_at), unix_ns(x.ended_at), x.clock_offset_ns
FROM step s
  JOIN job j ON j.id = s.job_id
  JOIN runner r ON r.id = s.runner_id
  JOIN profile p ON p.id = j.profile_id
  LEFT JOIN attempt x ON x.step_id = s.id AND x.epoch = s.epoch
  LEFT JOIN agent a ON a.id = x.agent_id
  LEFT JOIN host h ON h.id = x.host_id
  LEFT JOIN environment e ON e.id = x.environment_id
WHERE s.campaign_id = $1
ORDER BY r.position, j.probe_position, s.position, s.ordinal)sql"};

constexpr Statement kEarlier{"report_earlier", R"sql(
SELECT x.step_id, 'attempt ' || x.epoch || ' on ' || a.name || ': ' ||
       coalesce(nullif(x.message, ''), x.outcome, 'not ended')
FROM step s JOIN attempt x ON x.step_id = s.id AND x.epoch < s.epoch
  JOIN agent a ON a.id = x.agent_id
WHERE s.campaign_id = $1 ORDER BY x.step_id, x.epoch)sql"};

constexpr Statement kReportNotices{"report_notices", R"sql(
SELECT s.id, n.stage, n.message
FROM step s JOIN attempt x ON x.step_id = s.id AND x.epoch = s.epoch
  JOIN notice n ON n.attempt_id = x.id
WHERE s.campaign_id = $1 ORDER BY n.id)sql"};

constexpr Statement kResults{"report_results", R"sql(
SELECT s.id, q.metric, q.unit, q.better, q.headline, q.requested, q.attempted, q.n, q.median,
       q.min, q.max, q.mean, q.cv, q.p95, q.p99, q.method
FROM step s JOIN attempt x ON x.step_id = s.id AND x.epoch = s.epoch
  JOIN result q ON q.attempt_id = x.id
WHERE s.campaign_id = $1 ORDER BY s.id, q.ordinal)sql"};

constexpr Statement kMetrics{"report_metrics", R"sql(
SELECT DISTINCT m.probe, m.protocol, m.name, m.unit, m.better, m.headline
FROM job j JOIN profile p ON p.id = j.profile_id
  JOIN metric m ON m.probe = p.probe AND m.protocol = p.protocol
WHERE j.campaign_id = $1)sql"};

constexpr Statement kSamples{"report_samples",
                             "SELECT s.id, " FM_SERIES_COLUMNS
                             " FROM step s JOIN attempt x ON x.step_id = s.id AND x.epoch = s.epoch"
                             " JOIN sample_series q ON q.attempt_id = x.id"
                             " WHERE s.campaign_id = $1 ORDER BY s.id, q.metric, q.chunk"};

using Steps = std::map<base::StepId, ports::ReportStep*>;

ports::ReportStep readStep(const pqxx::row& row) {
  RowReader reader(row);
  ports::ReportStep out;
  out.step = reader.id<base::StepTag>();
  out.job = reader.id<base::JobTag>();
  out.runner = reader.text();
  out.probe = reader.text();
  out.protocol = reader.int64();
  out.fingerprint = reader.text();
  out.paramsJson = reader.text();
  out.placementJson = reader.text();
  out.trial = reader.count();
  out.stepName = reader.text();
  out.position = reader.count();
  std::string state = reader.text();
  out.state = wordOr(domain::parseStepState(state), "step state", state);
  out.message = reader.text();
  out.attempts = reader.count();
  if (reader.nextIsNull()) return out;  // no attempt was made
  reader.skip();
  out.agent = reader.text();
  out.host.hostname = reader.text();
  out.host.os = reader.text();
  out.host.arch = reader.text();
  out.host.cpuModel = reader.text();
  out.host.virtualisation = reader.text();
  out.host.kernel = reader.text();
  out.host.osImage = reader.text();
  out.host.machineId = reader.text();
  out.host.bootId = reader.text();
  out.host.machineKey = reader.text();
  out.host.effectiveCpus = reader.maybeNumber().value_or(0);
  out.host.memoryBytes = reader.maybeInt64().value_or(0);
  out.host.environmentJson = reader.text();
  out.agentVersion = reader.text();
  out.environmentBeforeJson = reader.text();
  out.environmentAfterJson = reader.text();
  out.startedAt = reader.maybeTime();
  out.endedAt = reader.maybeTime();
  out.clockOffset = reader.nanos();
  return out;
}

model::Unit readUnit(RowReader& reader) {
  std::string word = reader.text();
  return wordOr(model::parseUnit(word), "unit", word);
}

model::Better readBetter(RowReader& reader) {
  std::string word = reader.text();
  return wordOr(model::parseBetter(word), "direction", word);
}

ports::ReportMetric readResult(RowReader& reader) {
  ports::ReportMetric out;
  out.metric = reader.text();
  out.unit = readUnit(reader);
  out.better = readBetter(reader);
  out.headline = reader.flag();
  out.requested = reader.count();
  out.attempted = reader.count();
  out.completed = reader.count();
  out.median = reader.maybeNumber();
  out.min = reader.maybeNumber();
  out.max = reader.maybeNumber();
  out.mean = reader.maybeNumber();
  out.cv = reader.maybeNumber();
  out.p95 = reader.maybeNumber();
  out.p99 = reader.maybeNumber();
  out.method = reader.text();
  return out;
}

// Of metrics that have samples but no result, because their attempt never came to its end.
using MetricKey = std::tuple<std::string, std::int64_t, std::string>;
struct MetricKind {
  model::Unit unit;
  model::Better better;
  bool headline;
};

std::map<MetricKey, MetricKind> readMetrics(Session& session, base::CampaignId id) {
  std::map<MetricKey, MetricKind> out;
  for (const auto& row : session.run(kMetrics, Params::of(id))) {
    RowReader reader(row);
    std::string probe = reader.text();
    std::int64_t protocol = reader.int64();
    std::string name = reader.text();
    model::Unit unit = readUnit(reader);
    model::Better better = readBetter(reader);
    out.emplace(MetricKey{probe, protocol, name}, MetricKind{unit, better, reader.flag()});
  }
  return out;
}

ports::ReportMetric& metricOf(ports::ReportStep& step, const std::string& name,
                              const std::map<MetricKey, MetricKind>& kinds) {
  for (auto& metric : step.metrics) {
    if (metric.metric == name) return metric;
  }
  auto& added = step.metrics.emplace_back();
  added.metric = name;
  if (auto kind = kinds.find({step.probe, step.protocol, name}); kind != kinds.end()) {
    added.unit = kind->second.unit;
    added.better = kind->second.better;
    added.headline = kind->second.headline;
  }
  return added;
}

void addSamples(Session& session, base::CampaignId id, const Steps& steps) {
  auto kinds = readMetrics(session, id);
  for (const auto& row : session.run(kSamples, Params::of(id))) {
    RowReader reader(row);
    auto& step = *steps.at(reader.id<base::StepTag>());
    std::vector<model::Sample> samples;
    appendSamples(reader, samples);
    if (samples.empty()) continue;
    auto& metric = metricOf(step, samples[0].metric, kinds);
    metric.samples.insert(metric.samples.end(), std::make_move_iterator(samples.begin()),
                          std::make_move_iterator(samples.end()));
  }
  for (const auto& [step, data] : steps) {
    for (auto& metric : data->metrics) {
      sortSamples(metric.samples);
      if (metric.method.empty()) {
        metric.attempted = static_cast<std::uint32_t>(metric.samples.size());
      }
    }
  }
}

void addSteps(Session& session, base::CampaignId id, ports::ReportData& out) {
  for (const auto& row : session.run(kSteps, Params::of(id))) out.steps.push_back(readStep(row));
  Steps steps;
  for (auto& step : out.steps) steps[step.step] = &step;
  for (const auto& row : session.run(kEarlier, Params::of(id))) {
    RowReader reader(row);
    auto& step = *steps.at(reader.id<base::StepTag>());
    step.failedAttempts.push_back(reader.text());
  }
  for (const auto& row : session.run(kReportNotices, Params::of(id))) {
    RowReader reader(row);
    auto& step = *steps.at(reader.id<base::StepTag>());
    std::string stage = reader.text();
    step.notices.push_back({std::move(stage), reader.text()});
  }
  for (const auto& row : session.run(kResults, Params::of(id))) {
    RowReader reader(row);
    auto& step = *steps.at(reader.id<base::StepTag>());
    step.metrics.push_back(readResult(reader));
  }
  addSamples(session, id, steps);
}

}  // namespace

base::Result<ports::ReportData> PostgresSampleStore::report(base::CampaignId id) {
  PostgresCampaignStore campaigns(session_, events_);
  ports::ReportData out;
  FM_TRY_ASSIGN(out.campaign, campaigns.summary(id));
  FM_TRY(session_.guard([&]() -> base::Status {
    RowReader reader(session_.runOne(kCampaign, Params::of(id)));
    out.title = reader.text();
    out.description = reader.text();
    out.yaml = reader.text();
    std::string order = reader.text();
    out.order = wordOr(model::parseOrder(order), "order", order);
    out.seed = reader.uint64();
    out.coordinatorVersion = reader.text();
    for (const auto& row : session_.run(kRunners, Params::of(id))) {
      RowReader runner(row);
      model::RunnerSpec spec;
      spec.name = runner.text();
      spec.provider = runner.text();
      spec.match = parseLabels(runner.text());
      spec.labels = parseLabels(runner.text());
      out.runners.push_back(std::move(spec));
    }
    addSteps(session_, id, out);
    return {};
  }));
  return out;
}

}  // namespace fleetmark::coordinator::store
