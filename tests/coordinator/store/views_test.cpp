#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class Views : public StoreTest {
 protected:
  // One campaign in which each runner named measured `rate` once, with this median.
  void measure(const std::vector<std::pair<std::string, double>>& runners,
               model::Better better = model::Better::kLower) {
    auto campaign = makeCampaign(0);
    campaign.plan.spec.runners.clear();
    for (const auto& [name, median] : runners) {
      campaign.plan.spec.runners.push_back({name, "static", {{"runner", name}}, {}});
      model::PlannedJob job;
      job.runner = campaign.plan.spec.runners.size() - 1;
      job.position = static_cast<std::uint32_t>(job.runner);
      job.steps = {{"measure", {}, {}, {}, {}}};
      campaign.plan.jobs.push_back(job);
    }
    insert(campaign);
    for (const auto& [name, median] : runners) {
      auto work = claim(enter({.name = name, .machine = name, .labels = {{"runner", name}}}));
      ASSERT_TRUE(work);
      ports::SampleStore::MetricResult result;
      result.metric = "rate";
      result.unit = model::Unit::kSeconds;
      result.better = better;
      result.requested = 3;
      result.attempted = 3;
      result.summary = stats::summarise(std::vector{median});
      auto unit = must(db_->begin());
      must(unit->samples().insertResults(work->attempt, std::vector{result}));
      must(unit->commit());
      unit.reset();
      measured(work->lease);
    }
  }
};

TEST_F(Views, RunnersAreRankedByTheGoodEnd) {
  measure({{"a", 4.0}, {"b", 2.0}, {"c", 8.0}});
  EXPECT_EQ(sql("SELECT string_agg(runner || ' ' || rank || ' ' || ratio_to_best, ', ' "
                "ORDER BY rank) FROM fleetmark.runner_comparison"),
            "b 1 1, a 2 2, c 3 4");
}

TEST_F(Views, HigherIsBetterTurnsTheRanking) {
  measure({{"a", 4.0}, {"b", 2.0}, {"c", 8.0}}, model::Better::kHigher);
  EXPECT_EQ(sql("SELECT string_agg(runner || ' ' || rank || ' ' || ratio_to_best, ', ' "
                "ORDER BY rank) FROM fleetmark.runner_comparison"),
            "c 1 1, a 2 0.5, b 3 0.25");
}

TEST_F(Views, ARegressionIsFarOutsideOfTheRunsBefore) {
  for (double median : {10.0, 10.1, 9.9}) measure({{"a", median}});
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.regressions"), "0");
  measure({{"a", 10.4}});  // 4 %: too little
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.regressions"), "0");
  measure({{"a", 5.0}});  // better
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.regressions"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.history"), "5");
}

TEST_F(Views, ARegressionNamesItsBaseline) {
  for (double median : {10.0, 10.1, 9.9, 15.0}) measure({{"a", median}});
  EXPECT_EQ(sql("SELECT campaign_id || ' ' || baseline_runs || ' ' || round(baseline::numeric, 3) "
                "|| ' ' || round(change::numeric, 3) FROM fleetmark.regressions"),
            "4 3 10.000 0.500");
}

TEST_F(Views, SamplesOfEveryVerdictAreSeenWithTheirUnit) {
  insert(makeCampaign());
  auto work = claim(enter());
  model::SampleChunk chunk;
  for (std::uint32_t i = 0; i < 3; ++i) {
    model::Sample sample;
    sample.metric = "rate";
    sample.index = i;
    sample.startedAtNs = 1'700'000'000'000'000'000 + i * std::int64_t{1'500'000'000};
    sample.value = 1.5 * i;
    chunk.samples.push_back(sample);
  }
  chunk.samples[1].verdict = model::Verdict::kContended;
  chunk.samples[1].reasons = {"load 2.0"};
  chunk.samples[1].contextJson = R"({"load": 2.0})";
  chunk.samples[2].value.reset();
  auto unit = must(db_->begin());
  must(unit->samples().append(work->attempt, chunk));
  ports::SampleStore::MetricResult result;
  result.metric = "rate";
  result.unit = model::Unit::kSeconds;
  result.better = model::Better::kLower;
  result.attempted = 3;
  result.summary = stats::summarise(std::vector{0.0});
  must(unit->samples().insertResults(work->attempt, std::vector{result}));
  must(unit->commit());
  EXPECT_EQ(sql("SELECT string_agg(concat_ws(' ', index, value, unit, verdict, reasons, context, "
                "to_char(started_at AT TIME ZONE 'UTC', 'HH24:MI:SS.MS')), '; ' ORDER BY index) "
                "FROM fleetmark.samples"),
            "0 0 seconds ok 22:13:20.000; "
            "1 1.5 seconds contended [\"load 2.0\"] {\"load\": 2.0} 22:13:21.500; "
            "2 seconds ok 22:13:23.000");
  EXPECT_EQ(sql("SELECT n || ' of ' || attempted FROM fleetmark.results"), "1 of 3");
  EXPECT_EQ(sql("SELECT agents::text || ' ' || jobs FROM fleetmark.runners"), "{agent-a} 1");
}

}  // namespace
}  // namespace fleetmark::coordinator::store
