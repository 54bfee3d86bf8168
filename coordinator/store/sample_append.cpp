// A chunk of samples becomes one row a metric.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "common/crypto/digest.h"
#include "coordinator/store/sample_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr std::int64_t kNanosPerMicro = 1000;

constexpr Statement kChunk{"sample_chunk", R"sql(
WITH stored AS (
  INSERT INTO sample_chunk (attempt_id, number, sha256, samples) VALUES ($1, $2, $3, $4)
  ON CONFLICT (attempt_id, number) DO NOTHING
  RETURNING attempt_id),
told AS (
  INSERT INTO event (campaign_id, step_id, kind, data)
  SELECT s.campaign_id, s.id, 'step.samples',
         jsonb_build_object('attempt', $1::bigint, 'chunk', $2::int, 'samples', $4::int,
                            'ok', $5::int)
  FROM stored JOIN attempt x ON x.id = stored.attempt_id JOIN step s ON s.id = x.step_id)
SELECT count(*) FROM stored)sql"};

constexpr Statement kChunkDigest{
    "sample_chunk_digest", "SELECT sha256 FROM sample_chunk WHERE attempt_id = $1 AND number = $2"};

constexpr Statement kSeries{"sample_series", R"sql(
INSERT INTO sample_series (attempt_id, metric, chunk, first_index, indexes, t0, offsets_ns,
                           sample_values, verdicts, reasons, contexts, ok_count)
VALUES ($1, $2, $3, $4, $5::int[], timestamptz 'epoch' + $6::bigint * interval '1 microsecond',
        $7::bigint[], $8::float8[], $9::smallint[], $10::jsonb, $11::jsonb, $12))sql"};

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

Params seriesParams(base::AttemptId attempt, std::uint32_t chunk, const Series& samples) {
  const model::Sample& first = *samples[0];
  std::int64_t t0Micros = first.startedAtNs / kNanosPerMicro;
  auto params = Params::of(attempt, first.metric, chunk, first.index);
  if (consecutive(samples)) {
    params.addNull();
  } else {
    params.addRaw(arrayOf(samples, [](std::string& out, const model::Sample& sample) {
      out += std::to_string(sample.index);
    }));
  }
  params.add(t0Micros);
  params.addRaw(arrayOf(samples, [t0Micros](std::string& out, const model::Sample& sample) {
    out += std::to_string(sample.startedAtNs - t0Micros * kNanosPerMicro);
  }));
  params.addRaw(arrayOf(samples, [](std::string& out, const model::Sample& sample) {
    if (sample.value) {
      appendDouble(out, *sample.value);
    } else {
      out += "NULL";
    }
  }));
  std::int32_t ok = countOk(samples);
  if (static_cast<std::size_t>(ok) == samples.size()) {
    params.addNull();
  } else {
    params.addRaw(arrayOf(samples, [](std::string& out, const model::Sample& sample) {
      out += std::to_string(static_cast<int>(sample.verdict));
    }));
  }
  auto addJson = [&params](const std::optional<std::string>& json) {
    if (json) {
      params.add(Json{*json});
    } else {
      params.addNull();
    }
  };
  addJson(reasonsJson(samples));
  addJson(contextsJson(samples));
  params.add(ok);
  return params;
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

base::Result<model::IngestAnswer> PostgresSampleStore::append(base::AttemptId attempt,
                                                              const model::SampleChunk& chunk) {
  for (const auto& sample : chunk.samples) {
    FM_TRY(checkSample(sample));
  }
  auto series = byMetric(chunk);
  std::int32_t ok = 0;
  for (const auto& samples : series) ok += countOk(samples);
  return session_.guard([&]() -> base::Result<model::IngestAnswer> {
    std::string sha256 = chunkSha256(chunk);
    auto stored =
        session_.runOne(kChunk, Params::of(attempt, chunk.number, Binary{sha256},
                                           static_cast<std::int64_t>(chunk.samples.size()), ok));
    if (RowReader(stored).int64() == 0) {
      auto before = session_.runOne(kChunkDigest, Params::of(attempt, chunk.number));
      return RowReader(before).binary() == sha256 ? model::IngestAnswer::kDuplicate
                                                  : model::IngestAnswer::kFenced;
    }
    for (const auto& samples : series) {
      session_.run(kSeries, seriesParams(attempt, chunk.number, samples));
    }
    return model::IngestAnswer::kOk;
  });
}

}  // namespace fleetmark::coordinator::store
