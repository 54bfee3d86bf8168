#include "coordinator/store/sample_store.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kMissing{"sample_missing", R"sql(
SELECT g.number FROM (SELECT generate_series(0, $2::bigint - 1) AS number) g
WHERE NOT EXISTS (SELECT FROM sample_chunk c WHERE c.attempt_id = $1 AND c.number = g.number)
LIMIT 1000)sql"};

constexpr Statement kLoad{"sample_load", "SELECT " FM_SERIES_COLUMNS
                                         " FROM sample_series q WHERE q.attempt_id = $1"
                                         " ORDER BY q.metric, q.chunk"};

constexpr Statement kCountChunks{"sample_count_chunks", R"sql(
SELECT u.place, c.stored, c.below
FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS u(attempt_id, below, place)
  CROSS JOIN LATERAL (
    SELECT count(*) AS stored, count(*) FILTER (WHERE number < u.below) AS below
    FROM sample_chunk WHERE attempt_id = u.attempt_id) c)sql"};

constexpr Statement kInsertResults{"sample_insert_results", R"sql(
INSERT INTO result (attempt_id, metric, ordinal, unit, better, headline, method, requested,
                    attempted, n, min, max, mean, stddev, cv, median, p50, p90, p95, p99)
SELECT * FROM unnest(
  $1::bigint[], $2::text[], $3::int[], $4::text[], $5::text[], $6::bool[], $7::text[], $8::int[],
  $9::int[], $10::int[], $11::float8[], $12::float8[], $13::float8[], $14::float8[],
  $15::float8[], $16::float8[], $17::float8[], $18::float8[], $19::float8[], $20::float8[]))sql"};

constexpr Statement kLog{"sample_log", R"sql(
INSERT INTO log_chunk (attempt_id, stream, sequence, body) VALUES ($1, $2, $3, $4)
ON CONFLICT (attempt_id, stream, sequence) DO NOTHING)sql"};

template <typename T>
T parseNumber(std::string_view text) {
  T value{};
  auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
    throw std::runtime_error("an array of samples holds '" + std::string(text.substr(0, 40)) +
                             "' where a number belongs");
  }
  return value;
}

// One element an index; an absent array gives nothing.
template <typename T>
std::vector<std::optional<T>> numbers(const std::optional<std::string>& literal) {
  std::vector<std::optional<T>> out;
  if (!literal) return out;
  for (const auto& item : splitArray(*literal)) {
    out.push_back(item ? std::optional<T>(parseNumber<T>(*item)) : std::nullopt);
  }
  return out;
}

model::Verdict verdictOf(int number) {
  const auto& all = model::allVerdicts();
  if (number < 0 || static_cast<std::size_t>(number) >= all.size()) {
    throw std::runtime_error("unknown verdict " + std::to_string(number) + " in sample_series");
  }
  return all[static_cast<std::size_t>(number)];
}

}  // namespace

void appendSamples(RowReader& reader, std::vector<model::Sample>& out) {
  std::string metric = reader.text();
  std::uint32_t firstIndex = reader.count();
  auto indexes = numbers<std::uint32_t>(reader.maybeText());
  std::int64_t t0 = reader.int64();
  auto offsets = numbers<std::int64_t>(reader.maybeText());
  auto values = numbers<double>(reader.maybeText());
  auto verdicts = numbers<int>(reader.maybeText());
  auto reasons = nlohmann::json::parse(reader.maybeText().value_or("{}"));
  auto contexts = nlohmann::json::parse(reader.maybeText().value_or("{}"));
  for (std::size_t place = 0; place < values.size(); ++place) {
    model::Sample sample;
    sample.metric = metric;
    sample.index = indexes.empty() ? firstIndex + static_cast<std::uint32_t>(place)
                                   : indexes.at(place).value_or(0);
    sample.startedAtNs = t0 + offsets.at(place).value_or(0);
    sample.value = values[place];
    if (!verdicts.empty()) sample.verdict = verdictOf(verdicts.at(place).value_or(0));
    std::string key = std::to_string(place);
    if (auto found = reasons.find(key); found != reasons.end()) {
      for (const auto& reason : *found) sample.reasons.push_back(reason.get<std::string>());
    }
    if (auto found = contexts.find(key); found != contexts.end()) {
      sample.contextJson = found->dump();
    }
    out.push_back(std::move(sample));
  }
}

void sortSamples(std::vector<model::Sample>& samples) {
  std::stable_sort(samples.begin(), samples.end(),
                   [](const model::Sample& a, const model::Sample& b) {
                     return std::tie(a.metric, a.index) < std::tie(b.metric, b.index);
                   });
}

base::Result<std::vector<std::uint32_t>> PostgresSampleStore::missing(base::AttemptId attempt,
                                                                      std::uint32_t count) {
  return session_.guard([&]() -> base::Result<std::vector<std::uint32_t>> {
    std::vector<std::uint32_t> out;
    for (const auto& row : session_.run(kMissing, Params::of(attempt, count))) {
      out.push_back(RowReader(row).count());
    }
    return out;
  });
}

base::Result<std::vector<model::Sample>> PostgresSampleStore::load(base::AttemptId attempt) {
  return session_.guard([&]() -> base::Result<std::vector<model::Sample>> {
    std::vector<model::Sample> out;
    for (const auto& row : session_.run(kLoad, Params::of(attempt))) {
      RowReader reader(row);
      appendSamples(reader, out);
    }
    sortSamples(out);
    return out;
  });
}

base::Status PostgresSampleStore::countChunks(std::span<ChunkCount> counts) {
  return session_.guard([&]() -> base::Status {
    Column attempts, limits;
    for (const auto& each : counts) {
      attempts.number(each.attempt.value);
      limits.number(each.limit);
    }
    for (const auto& row : session_.run(kCountChunks, Params::of(attempts, limits))) {
      RowReader reader(row);
      const std::size_t place = reader.place();
      counts[place].stored = reader.count();
      counts[place].below = reader.count();
    }
    return {};
  });
}

base::Status PostgresSampleStore::insertResultsEach(std::span<const AttemptResults> results) {
  Column attempts, metrics, ordinals, units, betters, headlines, methods, requested, attempted, n;
  std::array<Column, 10> statistics;
  bool any = false;
  for (const auto& each : results) {
    std::int64_t ordinal = 0;
    for (const auto& result : each.metrics) {
      any = true;
      attempts.number(each.attempt.value);
      metrics.text(result.metric);
      ordinals.number(ordinal++);
      units.text(model::toString(result.unit));
      betters.text(model::toString(result.better));
      headlines.raw(result.headline ? "t" : "f");
      methods.text(stats::kSummaryMethod);
      requested.number(result.requested);
      attempted.number(result.attempted);
      const auto& s = result.summary;
      n.number(s.n);
      std::size_t i = 0;
      for (const auto* value :
           {&s.min, &s.max, &s.mean, &s.stddev, &s.cv, &s.median, &s.p50, &s.p90, &s.p95, &s.p99}) {
        statistics.at(i++).real(*value);
      }
    }
  }
  if (!any) return {};
  return session_.guard([&]() -> base::Status {
    auto params = Params::of(attempts, metrics, ordinals, units, betters, headlines, methods,
                             requested, attempted, n);
    for (const auto& column : statistics) params.add(column);
    session_.run(kInsertResults, params);
    return {};
  });
}

base::Status PostgresSampleStore::appendLog(base::AttemptId attempt, const std::string& stream,
                                            std::uint32_t sequence, const std::string& text) {
  return session_.guard([&]() -> base::Status {
    session_.run(kLog, Params::of(attempt, stream, sequence, text));
    return {};
  });
}

}  // namespace fleetmark::coordinator::store
