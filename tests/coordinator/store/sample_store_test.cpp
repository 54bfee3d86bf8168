#include <limits>

#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

using model::IngestAnswer;
using model::Verdict;

class SampleStore : public StoreTest {
 protected:
  base::AttemptId attempt() {
    insert(makeCampaign());
    work_ = claim(enter());
    return work_->attempt;
  }
  IngestAnswer append(base::AttemptId id, const model::SampleChunk& chunk) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.samples().append(id, chunk); });
  }
  std::vector<model::Sample> load(base::AttemptId id) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.samples().load(id); });
  }
  std::optional<model::Assignment> work_;
};

model::Sample sample(const std::string& metric, std::uint32_t index, std::optional<double> value) {
  model::Sample out;
  out.metric = metric;
  out.index = index;
  out.startedAtNs = 1'764'518'977'123'456'789 + index * std::int64_t{1'000'000'007};
  out.value = value;
  return out;
}

// Every verdict, absent values, reasons and contexts, hard numbers, two metrics interleaved.
model::SampleChunk hardChunk() {
  model::SampleChunk chunk;
  std::uint32_t index = 0;
  for (Verdict verdict : model::allVerdicts()) {
    auto one = sample("rate", index, 0.1 * index);
    one.verdict = verdict;
    if (verdict != Verdict::kOk) one.reasons = {"because \"" + std::to_string(index), "{,}\\"};
    chunk.samples.push_back(one);
    chunk.samples.push_back(sample("latency", index, std::nullopt));
    ++index;
  }
  chunk.samples[2].value.reset();
  chunk.samples[2].contextJson = R"({"histogram":[1,2.5,null],"note":"a\"b"})";
  chunk.samples[4].value = 5e-324;
  chunk.samples[6].value = -1.7976931348623157e308;
  chunk.samples[8].value = 9007199254740993.0;
  chunk.samples[8].startedAtNs = 0;  // before the first one: a clock that was set
  return chunk;
}

TEST_F(SampleStore, SamplesRoundTripExactly) {
  auto id = attempt();
  auto chunk = hardChunk();
  EXPECT_EQ(append(id, chunk), IngestAnswer::kOk);
  auto back = load(id);
  auto wanted = chunk.samples;
  std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.metric, a.index) < std::tie(b.metric, b.index);
  });
  ASSERT_EQ(back.size(), wanted.size());
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(back[i], wanted[i]) << i;
}

TEST_F(SampleStore, TheSameChunkAgainIsADuplicateAndAnotherIsFenced) {
  auto id = attempt();
  auto chunk = hardChunk();
  EXPECT_EQ(append(id, chunk), IngestAnswer::kOk);
  EXPECT_EQ(append(id, chunk), IngestAnswer::kDuplicate);
  auto other = chunk;
  other.samples[0].value = 7.0;
  EXPECT_EQ(append(id, other), IngestAnswer::kFenced);
  EXPECT_EQ(load(id).size(), chunk.samples.size());
}

TEST_F(SampleStore, ChunksMayArriveInAnyOrderAndGapsAreNamed) {
  auto id = attempt();
  for (std::uint32_t number : {3u, 0u}) {
    model::SampleChunk chunk;
    chunk.number = number;
    chunk.samples = {sample("rate", number, 1.0 + number)};
    EXPECT_EQ(append(id, chunk), IngestAnswer::kOk);
  }
  EXPECT_EQ(append(id, {5, {}}), IngestAnswer::kOk);  // an empty one counts as well
  auto unit = must(db_->begin());
  EXPECT_EQ(must(unit->samples().missing(id, 6)), (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(must(unit->samples().missing(id, 0)).size(), 0u);
  EXPECT_EQ(must(unit->samples().missing(id, 4'000'000'000)).size(), 1000u);
  auto back = must(unit->samples().load(id));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].index, 0u);
  EXPECT_EQ(back[1].value, 4.0);
}

TEST_F(SampleStore, IndexesNeedNotBeConsecutive) {
  auto id = attempt();
  model::SampleChunk chunk;
  chunk.samples = {sample("rate", 4, 1.0), sample("rate", 9, 2.0), sample("rate", 7, 3.0)};
  append(id, chunk);
  auto back = load(id);
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[1], chunk.samples[2]);
  EXPECT_EQ(back[2].index, 9u);
  EXPECT_EQ(sql("SELECT string_agg(index::text, ',' ORDER BY value) FROM fleetmark.samples"),
            "4,9,7");
}

TEST_F(SampleStore, ValuesThatAreNoNumbersAreRefused) {
  auto id = attempt();
  auto unit = must(db_->begin());
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto answer = unit->samples().append(id, {0, {sample("rate", 0, bad)}});
    EXPECT_EQ(codeOf(answer), base::ErrorCode::kInvalid);
  }
  auto context = sample("rate", 0, 1.0);
  context.contextJson = R"({"a":1}, "9": {})";
  EXPECT_EQ(codeOf(unit->samples().append(id, {0, {context}})), base::ErrorCode::kInvalid);
  auto early = sample("rate", 0, 1.0);
  early.startedAtNs = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(codeOf(unit->samples().append(id, {0, {early}})), base::ErrorCode::kInvalid);
  // Refused before the database saw it: the unit goes on.
  EXPECT_EQ(must(unit->samples().append(id, {0, {sample("rate", 0, 1.0)}})), IngestAnswer::kOk);
}

TEST_F(SampleStore, VerdictsAreKeptApartFromWhatCounts) {
  auto id = attempt();
  append(id, hardChunk());
  // Six verdicts for rate, of which one is ok; six samples of latency, all ok.
  EXPECT_EQ(sql("SELECT ok_count || '/' || n FROM fleetmark.sample_series WHERE metric = 'rate'"),
            "1/6");
  EXPECT_EQ(sql("SELECT verdicts IS NULL AND reasons IS NULL FROM fleetmark.sample_series "
                "WHERE metric = 'latency'"),
            "t");
  measured(work_->lease);
  EXPECT_EQ(summary(work_->campaign).samplesInvalid, 5u);
  auto told = steps(work_->campaign)[0];
  EXPECT_EQ(told.samplesOk, 7u);
  EXPECT_EQ(told.samplesSeen, 12u);
}

TEST_F(SampleStore, LogLinesAreStoredOnce) {
  auto id = attempt();
  auto unit = must(db_->begin(ports::Durability::kRelaxed));
  must(unit->samples().appendLog(id, "agent", 0, "one"));
  must(unit->samples().appendLog(id, "agent", 0, "one"));
  must(unit->samples().appendLog(id, "probe", 0, "two"));
  must(unit->commit());
  EXPECT_EQ(sql("SELECT string_agg(body, ',' ORDER BY stream) FROM fleetmark.log_chunk"),
            "one,two");
}

TEST_F(SampleStore, AnUnknownAttemptIsRefused) {
  auto unit = must(db_->begin());
  EXPECT_EQ(codeOf(unit->samples().append({4711}, {0, {sample("rate", 0, 1.0)}})),
            base::ErrorCode::kInvalid);
  // After PostgreSQL refused a statement the unit is over, and says why each time.
  EXPECT_EQ(codeOf(unit->samples().load({1})), base::ErrorCode::kInvalid);
  EXPECT_EQ(unit->commit().error().code, base::ErrorCode::kInvalid);
}

TEST_F(SampleStore, ReportHasEveryRow) {
  auto campaign = makeCampaign(2);
  auto id = insert(campaign);
  auto hello = makeHello();
  auto who = enter(hello);
  auto first = claim(who);
  auto lost = endOf(first->lease, domain::StepState::kReady, model::Outcome::kInfrastructure);
  lost.message = "agent lost";
  finish(lost);
  auto second = claim(who);
  ASSERT_EQ(second->lease.step, first->lease.step);
  model::SampleChunk chunk;
  chunk.samples = {sample("rate", 0, 2.0), sample("rate", 1, 4.0), sample("rate", 2, 9.0)};
  chunk.samples[2].verdict = Verdict::kContended;
  append(second->attempt, chunk);
  ports::SampleStore::MetricResult result;
  result.metric = "rate";
  result.unit = model::Unit::kIterationsPerSecond;
  result.better = model::Better::kHigher;
  result.headline = true;
  result.requested = 5;
  result.attempted = 3;
  result.summary = stats::summarise(std::vector{2.0, 4.0});
  {
    auto unit = must(db_->begin());
    must(unit->samples().insertResults(second->attempt, std::vector{result}));
    must(unit->commit());
  }
  auto end = endOf(second->lease, domain::StepState::kMeasured, model::Outcome::kMeasured);
  end.notices = {{"cpu/pin", "not pinned"}};
  end.environmentBeforeJson = R"({"load": 0.5})";
  finish(end);

  auto unit = must(db_->begin());
  auto data = must(unit->samples().report(id));
  EXPECT_EQ(data.title, "A quick look");
  EXPECT_EQ(data.description, "two lines\nof text");
  EXPECT_EQ(data.yaml, "campaign: quick\n");
  EXPECT_EQ(data.order, model::Order::kAbba);
  EXPECT_EQ(data.seed, 18446744073709551615ULL);
  EXPECT_EQ(data.runners, campaign.plan.spec.runners);
  EXPECT_EQ(data.coordinatorVersion, "0.1.0");
  ASSERT_EQ(data.steps.size(), 2u);
  const auto& step = data.steps[0];
  EXPECT_EQ(step.host, hello.host);
  EXPECT_EQ(step.agent, "agent-a");
  EXPECT_EQ(step.paramsJson, R"({"samples": 5})");
  EXPECT_EQ(step.attempts, 2u);
  EXPECT_EQ(step.failedAttempts, std::vector<std::string>{"attempt 1 on agent-a: agent lost"});
  EXPECT_EQ(step.notices, end.notices);
  EXPECT_EQ(step.environmentBeforeJson, R"({"load": 0.5})");
  ASSERT_EQ(step.metrics.size(), 1u);
  const auto& metric = step.metrics[0];
  EXPECT_EQ(metric.unit, model::Unit::kIterationsPerSecond);
  EXPECT_EQ(metric.requested, 5u);
  EXPECT_EQ(metric.attempted, 3u);
  EXPECT_EQ(metric.completed, 2u);
  EXPECT_EQ(metric.median, 3.0);
  EXPECT_EQ(metric.cv, 1.0 / 3.0);  // mean 3, population deviation 1
  EXPECT_FALSE(metric.p95);
  EXPECT_EQ(metric.method, "nearest-rank/1");
  EXPECT_EQ(metric.samples, chunk.samples);
  EXPECT_EQ(data.steps[1].agent, "");
  EXPECT_FALSE(data.steps[1].startedAt);
  auto told = must(unit->campaigns().steps(id))[0];
  EXPECT_EQ(told.headlineMetric, "rate");
  EXPECT_EQ(told.headlineValue, 3.0);
  EXPECT_EQ(told.samplesRequested, 5u);
}

}  // namespace
}  // namespace fleetmark::coordinator::store
