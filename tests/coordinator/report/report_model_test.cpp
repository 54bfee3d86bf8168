#include "coordinator/report/report_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

using model::Unit;
using model::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kRateMetric = Unit::kIterationsPerSecond;
const std::string kPinnedContext = R"({"pinned":true})";
const std::string kUnpinnedContext = R"({"pinned":false})";

ports::ReportStep simpleCpu(const std::string& runner, std::vector<double> values,
                            const std::string& context = kPinnedContext) {
  return testing::cpuStep(runner, {testing::metricOf("cpu_rate", kRateMetric, values, context)});
}

TEST(ReportModel, TakesFiguresOfValidSamplesAsTheyCame) {
  // 7.12, 7.76, 22.53: median 7.76, population variation 57.08 %.
  auto data = testing::campaignOf({testing::cpuStep(
      "a", {testing::metricOf("save_time", Unit::kSeconds, {7.12, 22.53, 7.76})})});
  auto model = buildReportModel(data);
  const auto& section = model.sections.at(0);
  ASSERT_EQ(section.columns.size(), 2u);  // the headline that should be there, and what came
  EXPECT_EQ(section.columns[0].metric, "cpu_rate");
  const auto& row = section.steps.at(0).metrics.at(1);
  EXPECT_DOUBLE_EQ(row.median.value(), 7.76);
  EXPECT_DOUBLE_EQ(row.min.value(), 7.12);
  EXPECT_DOUBLE_EQ(row.max.value(), 22.53);
  EXPECT_NEAR(row.cv.value(), 0.5708, 0.00005);
}

TEST(ReportModel, HasNoVariationForOneSample) {
  auto data = testing::campaignOf({simpleCpu("a", {33120})});
  auto model = buildReportModel(data);
  const auto& row = model.sections.at(0).steps.at(0).metrics.at(0);
  EXPECT_EQ(row.status, RowStatus::kComplete);
  EXPECT_EQ(row.median, 33120);
  EXPECT_EQ(row.cv, std::nullopt);
}

TEST(ReportModel, HasNoNumberWhereNothingIsValidWhateverTheStoreSays) {
  auto metric =
      testing::metricOf("cpu_rate", kRateMetric, model::Better::kHigher, 1,
                        {testing::badSample("cpu_rate", 0, 5.0, Verdict::kContended, {"busy"})});
  metric.median = 0;
  metric.cv = 0;
  auto data = testing::campaignOf({testing::cpuStep("a", {metric})});
  auto model = buildReportModel(data);
  const auto& row = model.sections.at(0).steps.at(0).metrics.at(0);
  EXPECT_EQ(row.status, RowStatus::kContended);
  EXPECT_EQ(row.median, std::nullopt);
  EXPECT_EQ(row.cv, std::nullopt);
}

TEST(ReportModel, KeepsPinnedAndUnpinnedApart) {
  auto data = testing::campaignOf({simpleCpu("a", {1, 2}), simpleCpu("b", {3}, kUnpinnedContext),
                                   simpleCpu("c", {4}), simpleCpu("d", {5}, "{}")});
  auto model = buildReportModel(data);
  ASSERT_EQ(model.sections.size(), 3u);
  EXPECT_EQ(model.sections[0].pinning, Pinning::kPinned);
  EXPECT_EQ(model.sections[0].steps.size(), 2u);
  EXPECT_EQ(model.sections[1].pinning, Pinning::kUnpinned);
  EXPECT_EQ(model.sections[1].steps.at(0).step->runner, "b");
  EXPECT_EQ(model.sections[2].pinning, Pinning::kNotRecorded);
  EXPECT_EQ(model.profiles.size(), 1u);
}

TEST(ReportModel, OneValidUnpinnedSampleMakesTheStepUnpinned) {
  auto metric = testing::metricOf("cpu_rate", kRateMetric, {1, 2, 3}, kPinnedContext);
  metric.samples.at(1).contextJson = kUnpinnedContext;
  auto data = testing::campaignOf({testing::cpuStep("a", {metric})});
  EXPECT_EQ(buildReportModel(data).sections.at(0).pinning, Pinning::kUnpinned);
}

TEST(ReportModel, AnUnverifiedSampleThatLostItsPinHasNoSay) {
  auto metric = testing::metricOf("cpu_rate", kRateMetric, model::Better::kHigher, 2,
                                  {testing::sampleOf("cpu_rate", 0, 1, kPinnedContext),
                                   testing::badSample("cpu_rate", 1, 2.0, Verdict::kUnverified,
                                                      {"pin lost"}, kUnpinnedContext)});
  auto data = testing::campaignOf({testing::cpuStep("a", {metric})});
  EXPECT_EQ(buildReportModel(data).sections.at(0).pinning, Pinning::kPinned);
}

TEST(ReportModel, NeverMixesFingerprints) {
  auto other = simpleCpu("b", {9});
  other.fingerprint = "ffffffffffff";
  auto data = testing::campaignOf({simpleCpu("a", {1}), other});
  auto model = buildReportModel(data);
  ASSERT_EQ(model.sections.size(), 2u);
  EXPECT_EQ(model.profiles.size(), 2u);
}

TEST(ReportModel, OrdersRowsAsTheCampaignDeclaresRunners) {
  auto data = testing::campaignOf({simpleCpu("b", {1}), simpleCpu("a", {2}), simpleCpu("b", {3})});
  data.steps[2].trial = 2;
  auto model = buildReportModel(data);
  std::vector<std::string> order;
  for (const auto& row : model.sections.at(0).steps) {
    order.push_back(row.step->runner + std::to_string(row.step->trial));
  }
  EXPECT_THAT(order, ElementsAre("b1", "b2", "a1"));
  EXPECT_TRUE(model.sections[0].severalTrials);
}

TEST(ReportModel, KnowsWhatAMissingStepShouldHaveMeasured) {
  auto step = testing::diskStep("a", {});
  step.state = domain::StepState::kFailed;
  step.message = "no space left";
  auto data = testing::campaignOf({step});
  auto model = buildReportModel(data);
  const auto& row = model.sections.at(0).steps.at(0);
  EXPECT_EQ(row.status, RowStatus::kFailed);
  ASSERT_EQ(row.metrics.size(), 4u);
  EXPECT_EQ(row.metrics[0].counts.requested, 3u);  // samples: 3 in its parameters
  EXPECT_EQ(row.metrics[0].counts.attempted, 0u);
  ASSERT_EQ(model.gaps.size(), 1u);
  EXPECT_EQ(model.gaps[0].metric, "");
  EXPECT_THAT(model.gaps[0].why, ElementsAre("no space left"));
}

TEST(ReportModel, CountsReasonsAndLimitsTheirList) {
  std::vector<model::Sample> samples;
  for (std::uint32_t i = 0; i < 20; ++i) {
    std::string reason = i < 10 ? "same" : "number " + std::to_string(i);
    samples.push_back(testing::badSample("cpu_rate", i, 1.0, Verdict::kContended, {reason}));
  }
  auto data = testing::campaignOf({testing::cpuStep(
      "a", {testing::metricOf("cpu_rate", kRateMetric, model::Better::kHigher, 20, samples)})});
  auto model = buildReportModel(data);
  const auto& row = model.sections.at(0).steps.at(0).metrics.at(0);
  ASSERT_EQ(row.causes.size(), 5u);
  EXPECT_EQ(row.causes[0].count, 10u);
  EXPECT_EQ(row.otherCauses, 6u);
  EXPECT_EQ(model.gaps.at(0).why.back(), "6 more with other reasons");
}

TEST(ReportModel, SaysWhichRunnersSharedAMachine) {
  auto apart = simpleCpu("c", {1});
  apart.host.machineKey = "machine-9";
  auto unknown = simpleCpu("d", {1});
  unknown.host.machineKey.clear();
  auto data = testing::campaignOf({simpleCpu("a", {1}), simpleCpu("b", {1}), apart, unknown});
  auto model = buildReportModel(data);
  ASSERT_EQ(model.sharedMachines.size(), 1u);
  EXPECT_THAT(model.sharedMachines[0], ElementsAre("a", "b"));
  EXPECT_EQ(model.machines.size(), 4u);
}

TEST(ReportModel, KeepsTheLargestClockOffsetOfAMachine) {
  auto first = simpleCpu("a", {1});
  auto second = testing::diskStep("a", {});
  first.clockOffset = base::Nanos(1000);
  second.clockOffset = base::Nanos(-5000);
  auto data = testing::campaignOf({first, second});
  auto model = buildReportModel(data);
  ASSERT_EQ(model.machines.size(), 1u);
  EXPECT_EQ(model.machines[0].clockOffset, base::Nanos(-5000));
}

TEST(Answer, RanksCompleteRowsAlone) {
  auto half = simpleCpu("c", {99000});
  half.metrics[0].requested = 5;
  auto data = testing::campaignOf({simpleCpu("a", {33120}), simpleCpu("b", {33900}), half});
  EXPECT_EQ(buildReportModel(data).answer,
            "2 of 3 measurements are complete: highest median cpu rate 33,900 it/s (b), lowest "
            "33,120 it/s (a).");
}

TEST(Answer, NamesTheBestFirstWhereLowerIsBetter) {
  auto slow = testing::selftestStep("a", {testing::metricOf("wait", Unit::kSeconds, {0.5})});
  auto fast = testing::selftestStep("b", {testing::metricOf("wait", Unit::kSeconds, {0.25})});
  for (auto* step : {&slow, &fast}) {
    step->probe = "other";
    step->metrics[0].better = model::Better::kLower;
  }
  auto data = testing::campaignOf({slow, fast});
  EXPECT_EQ(buildReportModel(data).answer,
            "2 of 2 measurements are complete: lowest median other wait 250.0 ms (b), highest "
            "500.0 ms (a).");
}

TEST(Answer, SaysThatNothingWasMeasured) {
  auto data = testing::campaignOf({});
  EXPECT_THAT(buildReportModel(data).answer, HasSubstr("no steps"));
  auto failed = testing::cpuStep("a", {});
  failed.state = domain::StepState::kFailed;
  auto failedData = testing::campaignOf({failed});
  EXPECT_EQ(buildReportModel(failedData).answer, "None of 1 measurement is complete.");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
