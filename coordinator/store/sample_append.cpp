// A chunk of samples becomes one row a metric.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "common/base/hex.h"
#include "common/crypto/digest.h"
#include "coordinator/store/sample_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr std::int64_t kNanosPerMicro = 1000;

constexpr Statement kChunks{"sample_chunks", R"sql(
WITH u AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::int[], $5::int[]) WITH ORDINALITY
    AS u(attempt_id, number, sha256, samples, ok, place)),
stored AS (
  INSERT INTO sample_chunk (attempt_id, number, sha256, samples)
  SELECT attempt_id, number, decode(sha256, 'hex'), samples FROM u
  ON CONFLICT (attempt_id, number) DO NOTHING
  RETURNING attempt_id, number),
told AS (
  INSERT INTO event (campaign_id, step_id, kind, data)
  SELECT s.campaign_id, s.id, 'step.samples',
         jsonb_build_object('attempt', u.attempt_id, 'chunk', u.number, 'samples', u.samples,
                            'ok', u.ok)
  FROM stored JOIN u USING (attempt_id, number)
    JOIN attempt x ON x.id = stored.attempt_id JOIN step s ON s.id = x.step_id)
SELECT u.place FROM u JOIN stored USING (attempt_id, number))sql"};

constexpr Statement kChunkDigest{
    "sample_chunk_digest", "SELECT sha256 FROM sample_chunk WHERE attempt_id = $1 AND number = $2"};

constexpr Statement kSeries{"sample_series", R"sql(
INSERT INTO sample_series (attempt_id, metric, chunk, first_index, indexes, t0, offsets_ns,
                           sample_values, verdicts, reasons, contexts, ok_count)
SELECT u.attempt_id, u.metric, u.chunk, u.first_index, u.indexes::int[],
       timestamptz 'epoch' + u.t0 * interval '1 microsecond', u.offsets::bigint[],
       u.numbers::float8[], u.verdicts::smallint[], u.reasons::jsonb, u.contexts::jsonb, u.ok
FROM unnest($1::bigint[], $2::text[], $3::int[], $4::int[], $5::text[], $6::bigint[], $7::text[],
            $8::text[], $9::text[], $10::text[], $11::text[], $12::int[])
  AS u(attempt_id, metric, chunk, first_index, indexes, t0, offsets, numbers, verdicts, reasons,
       contexts, ok))sql"};

using Series = std::vector<const model::Sample*>;

// Length-prefixed, so that no two different chunks have the same text.
std::string chunkSha256(const model::SampleChunk& chunk) {
  crypto::Sha256 digest;
  std::string text;
  auto add = [&text](std::string_view part) {
    text += std::to_string(part.size());
    text.push_back(':');
    text += part;
  };
  for (const auto& sample : chunk.samples) {
    text.clear();
    add(sample.metric);
    text += std::to_string(sample.index) + "," + std::to_string(sample.startedAtNs) + ",";
    if (sample.value) appendDouble(text, *sample.value);
    text.push_back(',');
    text += model::toString(sample.verdict);
    for (const auto& reason : sample.reasons) add(reason);
    text.push_back(';');
    add(sample.contextJson);
    digest.update(text);
  }
  return digest.finish();
}

bool hasContext(const model::Sample& sample) {
  return !sample.contextJson.empty() && sample.contextJson != "{}";
}

base::Status checkSample(const model::Sample& sample) {
  auto where = [&sample] {
    return "sample " + std::to_string(sample.index) + " of metric '" + sample.metric + "'";
  };
  if (sample.value && !std::isfinite(*sample.value)) {
    return base::invalid(where() + " has a value that is no finite number; leave it out instead");
  }
  if (sample.startedAtNs < 0) {
    return base::invalid(where() + " began before 1970; set the agent's clock");
  }
  if (hasContext(sample) && !nlohmann::json::accept(repairJson(sample.contextJson))) {
    return base::invalid(where() + " has a context that is no JSON document");
  }
  return {};
}

std::int32_t countOk(const Series& samples) {
  std::int32_t count = 0;
  for (const auto* sample : samples) {
    if (sample->verdict == model::Verdict::kOk) ++count;
  }
  return count;
}

// By place; NULL when no sample has any.
std::optional<std::string> reasonsJson(const Series& samples) {
  auto object = nlohmann::json::object();
  for (std::size_t place = 0; place < samples.size(); ++place) {
    if (samples[place]->reasons.empty()) continue;
    auto& list = object[std::to_string(place)];
    for (const auto& reason : samples[place]->reasons) list.push_back(repairText(reason));
  }
  if (object.empty()) return std::nullopt;
  return object.dump();
}

std::optional<std::string> contextsJson(const Series& samples) {
  std::string out;
  for (std::size_t place = 0; place < samples.size(); ++place) {
    if (!hasContext(*samples[place])) continue;
    out +=
        (out.empty() ? "{\"" : ",\"") + std::to_string(place) + "\":" + samples[place]->contextJson;
  }
  if (out.empty()) return std::nullopt;
  return out + "}";
}

// fn(text, sample) appends one element.
template <typename Fn>
std::string arrayOf(const Series& samples, Fn&& fn) {
  std::string out;
  out.reserve(samples.size() * 20);
  out.push_back('{');
  for (const auto* sample : samples) {
    if (out.size() > 1) out.push_back(',');
    fn(out, *sample);
  }
  out.push_back('}');
  return out;
}

bool consecutive(const Series& samples) {
  for (std::size_t place = 1; place < samples.size(); ++place) {
    if (samples[place]->index != samples[0]->index + place) return false;
  }
  return true;
}

// Rows of sample_series. Arrays go as text: PostgreSQL has no arrays of arrays of unequal length.
struct SeriesRows {
  Column attempts, metrics, chunks, firsts, indexes, t0s, offsets, numbers, verdicts, reasons,
      contexts, oks;
  bool any = false;

  void add(base::AttemptId attempt, std::uint32_t chunk, const Series& samples);
  Params params() const {
    return Params::of(attempts, metrics, chunks, firsts, indexes, t0s, offsets, numbers, verdicts,
                      reasons, contexts, oks);
  }
};

void SeriesRows::add(base::AttemptId attempt, std::uint32_t chunk, const Series& samples) {
  any = true;
  const model::Sample& first = *samples[0];
  const std::int64_t t0Micros = first.startedAtNs / kNanosPerMicro;
  attempts.number(attempt.value);
  metrics.text(first.metric);
  chunks.number(chunk);
  firsts.number(first.index);
  if (consecutive(samples)) {
    indexes.null();
  } else {
    indexes.raw(arrayOf(samples, [](std::string& out, const model::Sample& sample) {
      out += std::to_string(sample.index);
    }));
  }
  t0s.number(t0Micros);
  offsets.raw(arrayOf(samples, [t0Micros](std::string& out, const model::Sample& sample) {
    out += std::to_string(sample.startedAtNs - t0Micros * kNanosPerMicro);
  }));
  numbers.raw(arrayOf(samples, [](std::string& out, const model::Sample& sample) {
    if (sample.value) {
      appendDouble(out, *sample.value);
    } else {
      out += "NULL";
    }
  }));
  const std::int32_t ok = countOk(samples);
  if (static_cast<std::size_t>(ok) == samples.size()) {
    verdicts.null();
  } else {
    verdicts.raw(arrayOf(samples, [](std::string& out, const model::Sample& sample) {
      out += std::to_string(static_cast<int>(sample.verdict));
    }));
  }
  auto addJson = [](Column& column, const std::optional<std::string>& json) {
    if (json) {
      column.json(*json);
    } else {
      column.null();
    }
  };
  addJson(reasons, reasonsJson(samples));
  addJson(contexts, contextsJson(samples));
  oks.number(ok);
}

// In the order in which metrics come first.
std::vector<Series> byMetric(const model::SampleChunk& chunk) {
  std::vector<Series> out;
  for (const auto& sample : chunk.samples) {
    Series* mine = nullptr;
    for (auto& series : out) {
      if (series[0]->metric == sample.metric) mine = &series;
    }
    if (mine == nullptr) mine = &out.emplace_back();
    mine->push_back(&sample);
  }
  return out;
}

}  // namespace

base::Result<std::vector<model::IngestAnswer>> PostgresSampleStore::appendEach(
    std::span<const AttemptChunk> chunks) {
  using Answers = std::vector<model::IngestAnswer>;
  for (const auto& each : chunks) {
    for (const auto& sample : each.chunk->samples) {
      FM_TRY(checkSample(sample));
    }
  }
  return session_.guard([&]() -> base::Result<Answers> {
    Answers out(chunks.size(), model::IngestAnswer::kFenced);
    if (chunks.empty()) return out;
    std::vector<std::string> digests;
    std::vector<std::vector<Series>> series;
    Column attempts, numbers, sha256s, samples, oks;
    for (const auto& each : chunks) {
      digests.push_back(chunkSha256(*each.chunk));
      series.push_back(byMetric(*each.chunk));
      std::int32_t ok = 0;
      for (const auto& one : series.back()) ok += countOk(one);
      attempts.number(each.attempt.value);
      numbers.number(each.chunk->number);
      sha256s.raw(base::toHex(digests.back()));
      samples.number(static_cast<std::int64_t>(each.chunk->samples.size()));
      oks.number(ok);
    }
    SeriesRows rows;
    for (const auto& row :
         session_.run(kChunks, Params::of(attempts, numbers, sha256s, samples, oks))) {
      const std::size_t place = RowReader(row).place();
      out.at(place) = model::IngestAnswer::kOk;
      for (const auto& one : series[place]) {
        rows.add(chunks[place].attempt, chunks[place].chunk->number, one);
      }
    }
    if (rows.any) session_.run(kSeries, rows.params());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (out[i] == model::IngestAnswer::kOk) continue;
      auto before =
          session_.runOne(kChunkDigest, Params::of(chunks[i].attempt, chunks[i].chunk->number));
      if (RowReader(before).binary() == digests[i]) out[i] = model::IngestAnswer::kDuplicate;
    }
    return out;
  });
}

}  // namespace fleetmark::coordinator::store
