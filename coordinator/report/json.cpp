#include "coordinator/report/json.h"

#include "coordinator/report/json_writer.h"

namespace fleetmark::coordinator::report {

namespace {

void writeTime(JsonWriter& json, const std::optional<base::WallTime>& time) {
  if (time) {
    json.text(exactTime(*time));
  } else {
    json.null();
  }
}

void writeCount(JsonWriter& json, std::optional<std::uint32_t> count) {
  if (count) {
    json.number(std::int64_t{*count});
  } else {
    json.null();
  }
}

void writeLabels(JsonWriter& json, const model::Labels& labels) {
  json.beginObject(Layout::kCompact);
  for (const auto& [name, value] : labels) json.member(name).text(value);
  json.endObject();
}

void writeTexts(JsonWriter& json, const std::vector<std::string>& texts) {
  json.beginArray(Layout::kCompact);
  for (const auto& text : texts) json.text(text);
  json.endArray();
}

void writeCampaign(JsonWriter& json, const ReportModel& model) {
  const auto& data = *model.data;
  const auto& campaign = data.campaign;
  json.beginObject();
  json.member("id").number(campaign.id.value);
  json.member("name").text(campaign.name);
  json.member("title").textOrNull(data.title);
  json.member("description").textOrNull(data.description);
  json.member("state").text(domain::toString(campaign.state));
  json.member("submitted_at").text(exactTime(campaign.submittedAt));
  writeTime(json.member("finished_at"), campaign.finishedAt);
  json.member("order").text(model::toString(data.order));
  // Text: a program that reads numbers as doubles would change a seed above 2^53.
  json.member("seed").text(std::to_string(data.seed));
  json.member("answer").text(model.answer);
  json.member("steps_total").number(static_cast<std::int64_t>(data.steps.size()));
  json.member("steps_complete").number(std::int64_t{model.stepsComplete});
  json.member("yaml").text(data.yaml);
  json.endObject();
}

void writeSample(JsonWriter& json, const model::Sample& sample) {
  json.beginObject(Layout::kCompact);
  json.member("index").number(std::int64_t{sample.index});
  json.member("started_at").text(exactTime(base::fromUnixNanos(sample.startedAtNs)));
  json.member("value").number(sample.value);
  json.member("verdict").text(model::toString(sample.verdict));
  writeTexts(json.member("reasons"), sample.reasons);
  json.member("context").document(sample.contextJson);
  json.endObject();
}

void writeMetric(JsonWriter& json, const Column& column, const MetricRow& row) {
  json.beginObject();
  json.member("metric").text(column.metric);
  json.member("unit").text(model::toString(column.unit));
  json.member("better").text(model::toString(column.better));
  json.member("headline").boolean(column.headline);
  json.member("status").text(toString(row.status));
  writeCount(json.member("requested"), row.counts.requested);
  writeCount(json.member("attempted"), row.counts.attempted);
  writeCount(json.member("completed"), row.counts.completed);
  json.member("median").number(row.median);
  json.member("min").number(row.min);
  json.member("max").number(row.max);
  json.member("mean").number(row.mean);
  json.member("cv").number(row.cv);
  json.member("p95").number(row.p95);
  json.member("p99").number(row.p99);
  json.member("method").textOrNull(row.method);
  json.member("samples").beginArray();
  if (row.source != nullptr) {
    for (const auto& sample : row.source->samples) writeSample(json, sample);
  }
  json.endArray();
  json.endObject();
}

void writeHost(JsonWriter& json, const ports::ReportStep& step) {
  if (step.agent.empty()) return json.null();
  const auto& host = step.host;
  json.beginObject();
  json.member("hostname").textOrNull(host.hostname);
  json.member("os").textOrNull(host.os);
  json.member("arch").textOrNull(host.arch);
  json.member("cpu_model").textOrNull(host.cpuModel);
  json.member("virtualisation").textOrNull(host.virtualisation);
  json.member("kernel").textOrNull(host.kernel);
  json.member("os_image").textOrNull(host.osImage);
  json.member("machine_id").textOrNull(host.machineId);
  json.member("boot_id").textOrNull(host.bootId);
  json.member("machine_key").textOrNull(host.machineKey);
  json.member("effective_cpus")
      .number(host.effectiveCpus > 0 ? std::optional(host.effectiveCpus) : std::nullopt);
  if (host.memoryBytes > 0) {
    json.member("memory_bytes").number(host.memoryBytes);
  } else {
    json.member("memory_bytes").null();
  }
  json.member("environment").document(host.environmentJson);
  json.endObject();
}

std::optional<bool> pinnedFlag(Pinning pinning) {
  switch (pinning) {
    case Pinning::kPinned:
      return true;
    case Pinning::kUnpinned:
      return false;
    case Pinning::kNotRecorded:
      return std::nullopt;
  }
  FM_CHECK(false && "unknown pinning");
  return std::nullopt;
}

void writeStep(JsonWriter& json, const Section& section, const StepRow& row) {
  const auto& step = *row.step;
  json.beginObject();
  json.member("runner").text(step.runner);
  json.member("probe").text(step.probe);
  json.member("fingerprint").text(step.fingerprint);
  json.member("trial").number(std::int64_t{step.trial});
  json.member("step").text(step.stepName);
  json.member("position").number(std::int64_t{step.position});
  json.member("step_id").number(step.step.value);
  json.member("job_id").number(step.job.value);
  json.member("status").text(toString(row.status));
  json.member("message").textOrNull(step.message);
  json.member("pinned").boolean(pinnedFlag(row.pinning));
  json.member("attempts").number(std::int64_t{step.attempts});
  writeTexts(json.member("failed_attempts"), step.failedAttempts);
  json.member("agent").textOrNull(step.agent);
  json.member("agent_version").textOrNull(step.agentVersion);
  if (step.agent.empty()) {
    json.member("clock_offset_ns").null();
  } else {
    json.member("clock_offset_ns").number(std::int64_t{step.clockOffset.count()});
  }
  writeTime(json.member("started_at"), step.startedAt);
  writeTime(json.member("ended_at"), step.endedAt);
  json.member("placement").document(step.placementJson);
  json.member("host");
  writeHost(json, step);
  json.member("environment_before").document(step.environmentBeforeJson);
  json.member("environment_after").document(step.environmentAfterJson);
  json.member("notices").beginArray();
  for (const auto& notice : step.notices) {
    json.beginObject(Layout::kCompact);
    json.member("stage").text(notice.stage);
    json.member("message").text(notice.message);
    json.endObject();
  }
  json.endArray();
  json.member("metrics").beginArray();
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    writeMetric(json, section.columns[i], row.metrics[i]);
  }
  json.endArray();
  json.endObject();
}

}  // namespace

void renderJson(const ReportModel& model, Output& output) {
  Pieces pieces(output);
  JsonWriter json(pieces);
  const auto& data = *model.data;
  json.beginObject();
  json.member("schema").text(kResultSchema);
  json.member("coordinator_version").textOrNull(data.coordinatorVersion);
  json.member("campaign");
  writeCampaign(json, model);
  json.member("runners").beginArray();
  for (const auto& runner : data.runners) {
    json.beginObject();
    json.member("name").text(runner.name);
    json.member("provider").text(runner.provider);
    writeLabels(json.member("match"), runner.match);
    writeLabels(json.member("labels"), runner.labels);
    json.endObject();
  }
  json.endArray();
  json.member("profiles").beginArray();
  for (const auto& profile : model.profiles) {
    json.beginObject();
    json.member("probe").text(profile.probe);
    json.member("protocol").number(profile.protocol);
    json.member("fingerprint").text(profile.fingerprint);
    json.member("params").document(profile.paramsJson);
    json.endObject();
  }
  json.endArray();
  json.member("shared_machines").beginArray();
  for (const auto& runners : model.sharedMachines) writeTexts(json, runners);
  json.endArray();
  json.member("results").beginArray();
  for (const auto& section : model.sections) {
    for (const auto& row : section.steps) writeStep(json, section, row);
  }
  json.endArray();
  json.endObject();
  pieces.add("\n");
  pieces.flush();
}

std::string renderJson(const ReportModel& model) {
  StringOutput out;
  renderJson(model, out);
  return out.take();
}

}  // namespace fleetmark::coordinator::report
