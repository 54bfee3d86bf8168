#include "common/stats/holm.h"
#include "common/stats/shift.h"
#include "coordinator/compare/output.h"
#include "coordinator/compare/words.h"
#include "coordinator/report/json_writer.h"

namespace fleetmark::coordinator::compare {

namespace {

using report::JsonWriter;
using report::Layout;

void writeFile(JsonWriter& json, const ResultFile& file, const std::string& runner) {
  json.beginObject();
  json.member("origin").text(file.origin);
  json.member("campaign").text(file.campaign);
  json.member("campaign_id").number(file.campaignId);
  json.member("runner").textOrNull(runner);
  json.endObject();
}

void writeTextList(JsonWriter& json, const std::vector<std::string>& texts) {
  json.beginArray(Layout::kCompact);
  for (const auto& text : texts) json.text(text);
  json.endArray();
}

void writeInterval(JsonWriter& json, const std::optional<stats::Interval>& interval) {
  if (!interval) return json.null();
  json.beginObject(Layout::kCompact);
  json.member("low").number(interval->low);
  json.member("high").number(interval->high);
  json.member("confidence").number(interval->confidence);
  json.member("method").text(interval->method);
  json.endObject();
}

void writeSide(JsonWriter& json, const std::string& runner, const std::string& fingerprint,
               const std::vector<std::string>& cpuModels, const stats::SideFigures& figures) {
  json.beginObject(Layout::kCompact);
  json.member("runner").text(runner);
  json.member("fingerprint").text(fingerprint);
  writeTextList(json.member("cpu_models"), cpuModels);
  json.member("instances").number(std::int64_t{figures.instances});
  json.member("samples").number(std::int64_t{figures.samples});
  json.member("n").number(std::int64_t{figures.n});
  json.member("median").number(figures.median);
  json.member("cv").number(figures.cv);
  json.endObject();
}

void writeRow(JsonWriter& json, const Row& row) {
  const auto& figures = row.figures;
  json.beginObject();
  json.member("probe").text(row.probe);
  json.member("step").textOrNull(row.step);
  json.member("metric").text(row.metric);
  json.member("unit").text(model::toString(row.unit));
  json.member("better").text(model::toString(row.better));
  writeSide(json.member("a"), row.runnerA, row.fingerprintA, row.cpuModelsA, figures.a);
  writeSide(json.member("b"), row.runnerB, row.fingerprintB, row.cpuModelsB, figures.b);
  json.member("sampling_unit").text(toString(figures.unit));
  json.member("ratio").number(figures.ratio);
  writeInterval(json.member("interval"), figures.interval);
  writeInterval(json.member("rank_interval"), figures.rankInterval);
  json.member("p").number(figures.p);
  json.member("test_method").textOrNull(figures.testMethod);
  json.member("p_holm").number(figures.pHolm);
  json.member("verdict").text(toString(row.judgement.verdict));
  if (row.judgement.verdict != stats::Verdict::kCannotTell) {
    json.member("reason").null();
    json.member("reason_text").null();
  } else {
    json.member("reason").text(row.refusal == Refusal::kNone ? toString(row.judgement.doubt)
                                                             : toString(row.refusal));
    json.member("reason_text").text(row.reason);
  }
  json.endObject();
}

void writeLeftOut(JsonWriter& json, const LeftOut& left) {
  json.beginObject(Layout::kCompact);
  json.member("side").text(left.side);
  json.member("runner").text(left.runner);
  json.member("probe").text(left.probe);
  json.member("step").text(left.step);
  json.member("trial").number(left.trial);
  json.member("metric").text(left.metric);
  json.member("status").text(left.status);
  json.member("completed").number(std::int64_t{left.completed});
  if (left.requested) {
    json.member("requested").number(std::int64_t{*left.requested});
  } else {
    json.member("requested").null();
  }
  json.endObject();
}

void writeOptions(JsonWriter& json, const Options& options) {
  json.beginObject(Layout::kCompact);
  json.member("band").number(options.stats.band);
  json.member("confidence").number(options.stats.confidence);
  json.member("most_variation").number(options.stats.mostVariation);
  // Text: a program that reads numbers as doubles would change a seed above 2^53.
  json.member("seed").text(std::to_string(options.stats.seed));
  json.member("replicates").number(std::int64_t{options.stats.replicates});
  json.member("all_metrics").boolean(options.metrics == Metrics::kAll);
  json.member("across_profiles").boolean(options.profiles == Across::kAllow);
  json.member("across_machines").boolean(options.machines == Across::kAllow);
  json.endObject();
}

}  // namespace

std::string comparisonJson(const Comparison& comparison) {
  report::StringOutput out;
  report::Pieces pieces(out);
  JsonWriter json(pieces);
  json.beginObject();
  json.member("schema").text(kComparisonSchema);
  writeFile(json.member("a"), comparison.a, comparison.runnerA);
  writeFile(json.member("b"), comparison.b, comparison.runnerB);
  writeOptions(json.member("options"), comparison.options);
  json.member("methods").beginObject(Layout::kCompact);
  json.member("ratio").text(stats::kRatioMethod);
  json.member("table").text(stats::kHolmMethod);
  json.member("verdict").text(stats::kVerdictMethod);
  json.endObject();
  json.member("rows_tested").number(static_cast<std::int64_t>(comparison.tested));
  json.member("rows").beginArray();
  for (const auto& row : comparison.rows) writeRow(json, row);
  json.endArray();
  json.member("left_out").beginArray();
  for (const auto& left : comparison.leftOut) writeLeftOut(json, left);
  json.endArray();
  writeTextList(json.member("not_compared"), comparison.unmatched);
  writeTextList(json.member("notes"), comparison.notes);
  json.endObject();
  pieces.add("\n");
  pieces.flush();
  return out.take();
}

}  // namespace fleetmark::coordinator::compare
