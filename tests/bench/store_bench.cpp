// On one private PostgreSQL with fsync on, in turns, so that both sides see the same machine:
//   append       SampleStore::append of a chunk of 1,000 samples of one metric, and its commit:
//                checks, digest, arrays, duplicate guard and event included
//   copy         the same 1,000 values as narrow rows (attempt, metric, index, start, value,
//                verdict; primary key on the first three) by COPY FROM STDIN from text that was
//                made beforehand, and its commit
//   copy stream  as copy, but all chunks of the round in one COPY and one commit
// and then claim and end of single steps, each its own transaction, as one agent does them.
#include <libpq-fe.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "coordinator/store/database.h"
#include "tests/support/test_database.h"

namespace {

using namespace fleetmark;
using namespace fleetmark::coordinator;

constexpr int kRounds = 10;
constexpr int kChunksPerRound = 20;
constexpr std::uint32_t kSamples = 1000;
constexpr int kSteps = 300;

const base::SystemClock kClock;

template <typename T>
T must(base::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "store_bench: %s\n", result.error().message.c_str());
    std::exit(1);
  }
  return std::move(result).value();
}
void must(const base::Status& status) {
  if (status) return;
  std::fprintf(stderr, "store_bench: %s\n", status.error().message.c_str());
  std::exit(1);
}

double secondsSince(base::MonoTime start) {
  return std::chrono::duration<double>(kClock.mono() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

model::SampleChunk makeChunk(std::uint32_t number, base::SeededRandom& random) {
  model::SampleChunk chunk;
  chunk.number = number;
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    model::Sample sample;
    sample.metric = "latency";
    sample.index = number * kSamples + i;
    sample.startedAtNs = 1'700'000'000'000'000'000 + sample.index * std::int64_t{1'003'000};
    sample.value = 0.001 + random.unit() / 100;
    chunk.samples.push_back(std::move(sample));
  }
  return chunk;
}

std::string copyText(base::AttemptId attempt, const model::SampleChunk& chunk) {
  std::string out;
  for (const auto& sample : chunk.samples) {
    char line[160];
    std::snprintf(line, sizeof line, "%lld\t%s\t%u\t%s\t%.17g\t0\n",
                  static_cast<long long>(attempt.value), sample.metric.c_str(), sample.index,
                  base::formatWall(base::fromUnixNanos(sample.startedAtNs)).c_str(), *sample.value);
    out += line;
  }
  return out;
}

class Copier {
 public:
  explicit Copier(const std::string& connectionString)
      : connection_(PQconnectdb(connectionString.c_str()), &PQfinish) {
    run("CREATE TABLE narrow (attempt_id bigint, metric text, index int, started_at timestamptz, "
        "value float8, verdict smallint, PRIMARY KEY (attempt_id, metric, index))");
  }
  void copy(const std::vector<std::string>& texts) {
    run("COPY narrow FROM STDIN", PGRES_COPY_IN);
    for (const auto& text : texts) {
      check(PQputCopyData(connection_.get(), text.data(), static_cast<int>(text.size())) == 1);
    }
    check(PQputCopyEnd(connection_.get(), nullptr) == 1);
    while (PGresult* result = PQgetResult(connection_.get())) {
      check(PQresultStatus(result) == PGRES_COMMAND_OK);
      PQclear(result);
    }
  }

 private:
  void run(const char* statement, ExecStatusType wanted = PGRES_COMMAND_OK) {
    PGresult* result = PQexec(connection_.get(), statement);
    check(PQresultStatus(result) == wanted);
    PQclear(result);
  }
  void check(bool good) {
    if (good) return;
    std::fprintf(stderr, "store_bench: %s\n", PQerrorMessage(connection_.get()));
    std::exit(1);
  }
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

ports::NewCampaign campaignOf(std::uint32_t jobs) {
  ports::NewCampaign out;
  out.plan.spec.name = "bench";
  out.plan.spec.runners = {{"any", "static", {}, {}}};
  model::ProbeUse use;
  use.profile = must(model::makeProfile("selftest", 1, R"({"samples":1})"));
  use.paramsJson = R"({"samples":1})";
  out.plan.spec.probes = {use};
  for (std::uint32_t i = 0; i < jobs; ++i) {
    model::PlannedJob job;
    job.trial = i + 1;
    job.position = i;
    job.steps = {{"measure", {}, {}, {}, {}}};
    out.plan.jobs.push_back(job);
  }
  return out;
}

struct Agent {
  ports::Database& db;
  ports::Registration who;

  model::Assignment claim() {
    auto unit = must(db.begin());
    auto work = must(unit->queue().claim({who.agent, who.session, std::chrono::minutes(5)}));
    must(unit->commit());
    return work.value();
  }
  void end(const model::LeaseRef& lease) {
    auto unit = must(db.begin());
    must(unit->queue().lock(lease.step, lease.epoch));
    ports::StepEnd end;
    end.step = lease.step;
    end.epoch = lease.epoch;
    end.newState = domain::StepState::kMeasured;
    end.outcome = model::Outcome::kMeasured;
    end.bodySha256 = std::string(32, 'b');
    must(unit->queue().end(end));
    must(unit->commit());
  }
};

Agent enter(ports::Database& db, std::uint32_t jobs) {
  model::AgentHello hello;
  hello.agent = base::newUuid();
  hello.probes = {"selftest/1"};
  auto unit = must(db.begin());
  auto who = must(unit->agents().registerAgent(hello));
  must(unit->campaigns().insert(campaignOf(jobs)));
  must(unit->commit());
  return {db, who};
}

struct Figures {
  double append = 0, copy = 0, copyStream = 0;  // samples per second
  double claimMs = 0, endMs = 0;                // medians
};

void measureSamples(ports::Database& db, Agent& agent, Copier& copier, Figures& out) {
  auto work = agent.claim();
  base::SeededRandom random(1);
  std::vector<double> append, copy, stream;
  constexpr double kPerRound = double{kChunksPerRound} * kSamples;
  std::uint32_t number = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<model::SampleChunk> chunks;
    std::vector<std::string> single, all;
    for (int i = 0; i < kChunksPerRound; ++i) {
      chunks.push_back(makeChunk(number++, random));
      single.push_back(copyText({1}, chunks.back()));
      all.push_back(copyText({2}, chunks.back()));
    }
    auto start = kClock.mono();
    for (const auto& chunk : chunks) {
      auto unit = must(db.begin());
      must(unit->samples().append(work.attempt, chunk));
      must(unit->commit());
    }
    append.push_back(kPerRound / secondsSince(start));
    start = kClock.mono();
    for (const auto& text : single) copier.copy({text});
    copy.push_back(kPerRound / secondsSince(start));
    start = kClock.mono();
    copier.copy(all);
    stream.push_back(kPerRound / secondsSince(start));
  }
  out.append = median(append);
  out.copy = median(copy);
  out.copyStream = median(stream);
  agent.end(work.lease);
}

void measureSteps(Agent& agent, Figures& out) {
  std::vector<double> claims, ends;
  for (int i = 0; i < kSteps; ++i) {
    auto start = kClock.mono();
    auto work = agent.claim();
    claims.push_back(secondsSince(start) * 1000);
    start = kClock.mono();
    agent.end(work.lease);
    ends.push_back(secondsSince(start) * 1000);
  }
  out.claimMs = median(claims);
  out.endMs = median(ends);
}

void print(const Figures& f, bool json) {
  if (json) {
    std::printf(
        "{\"append_samples_per_second\": %.0f, \"copy_samples_per_second\": %.0f, "
        "\"copy_stream_samples_per_second\": %.0f, \"append_to_copy\": %.3f, "
        "\"append_to_copy_stream\": %.3f, \"claim_p50_ms\": %.3f, \"end_p50_ms\": %.3f}\n",
        f.append, f.copy, f.copyStream, f.append / f.copy, f.append / f.copyStream, f.claimMs,
        f.endMs);
    return;
  }
  std::printf("median of %d rounds of %d chunks of %u samples, fsync on\n", kRounds,
              kChunksPerRound, kSamples);
  std::printf("  append, commit a chunk            %10.0f samples/s\n", f.append);
  std::printf("  COPY narrow rows, commit a chunk  %10.0f samples/s   append is %.2f x\n", f.copy,
              f.append / f.copy);
  std::printf("  COPY narrow rows, one stream      %10.0f samples/s   append is %.2f x\n",
              f.copyStream, f.append / f.copyStream);
  std::printf("p50 over %d steps, fsync on\n", kSteps);
  std::printf("  claim                             %10.2f ms\n", f.claimMs);
  std::printf("  end                               %10.2f ms\n", f.endMs);
}

}  // namespace

int main(int argc, char** argv) {
  bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  auto server = must(support::TestPostgres::make(support::TestPostgres::DiskSync::kOn));
  store::DatabaseOptions options;
  options.connectionString = server->freshDatabase();
  auto db = store::openDatabase(options);
  auto agent = enter(*db, kSteps + 1);
  Copier copier(options.connectionString);
  Figures figures;
  measureSamples(*db, agent, copier, figures);
  measureSteps(agent, figures);
  print(figures, json);
  return 0;
}
