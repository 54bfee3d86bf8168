#include "coordinator/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/compare/sides.h"

namespace fleetmark::coordinator::compare {
namespace {

using testing::cpu;
using ::testing::HasSubstr;
using testing::kRates;
using testing::scaled;
using testing::sideOf;

TEST(Compare, SaysWhichSideIsFaster) {
  auto comparison = compareResults(sideOf({cpu("a", kRates)}), sideOf({cpu("a", scaled(1.2))}), {});
  ASSERT_TRUE(comparison.has_value()) << comparison.error().message;
  ASSERT_EQ(comparison->rows.size(), 1U);
  const Row& row = comparison->rows[0];
  EXPECT_EQ(row.judgement.verdict, stats::Verdict::kFaster);
  EXPECT_NEAR(*row.figures.ratio, 1.2, 1e-12);
  EXPECT_EQ(row.label, "cpu rate");
  EXPECT_TRUE(allTold(*comparison));
}

TEST(Compare, TwoRunnersOfOneCampaign) {
  auto all = [] { return std::vector{cpu("a", kRates), cpu("b", scaled(0.8), "other")}; };
  auto comparison = compareResults(sideOf(all(), "a"), sideOf(all(), "b"), {});
  ASSERT_TRUE(comparison.has_value()) << comparison.error().message;
  EXPECT_EQ(comparison->rows.at(0).judgement.verdict, stats::Verdict::kSlower);
}

TEST(Compare, RunnersOfTheSameNameStandTogetherAndOthersAreNamed) {
  auto comparison = compareResults(sideOf({cpu("a", kRates), cpu("b", kRates)}),
                                   sideOf({cpu("b", kRates), cpu("c", kRates)}), {});
  ASSERT_TRUE(comparison.has_value()) << comparison.error().message;
  ASSERT_EQ(comparison->rows.size(), 1U);
  EXPECT_EQ(comparison->rows[0].runnerA, "b");
  EXPECT_THAT(comparison->unmatched,
              ::testing::ElementsAre("runner a: only A has it", "runner c: only B has it"));
}

TEST(Compare, OtherFingerprintsAreRefusedUnlessTold) {
  auto other = cpu("a", scaled(1.2));
  other.fingerprint = "0123456789ab";
  auto refused = compareResults(sideOf({cpu("a", kRates)}), sideOf({other}), {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, base::ErrorCode::kInvalid);
  EXPECT_THAT(refused.error().message, HasSubstr("0123456789ab"));
  EXPECT_THAT(refused.error().message, HasSubstr("--across-profiles"));
  Options told;
  told.profiles = Across::kAllow;
  auto comparison = compareResults(sideOf({cpu("a", kRates)}), sideOf({other}), told);
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->rows[0].judgement.verdict, stats::Verdict::kFaster);
  EXPECT_THAT(comparison->notes, ::testing::Contains(HasSubstr("Profiles differ")));
}

TEST(Compare, OtherCpuModelsAreRefusedUnlessTold) {
  auto other = cpu("a", scaled(1.2), "m2");
  other.host.cpuModel = "Another CPU";
  auto refused = compareResults(sideOf({cpu("a", kRates)}), sideOf({other}), {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("Another CPU"));
  EXPECT_THAT(refused.error().message, HasSubstr("--across-machines"));
  Options told;
  told.machines = Across::kAllow;
  EXPECT_TRUE(compareResults(sideOf({cpu("a", kRates)}), sideOf({other}), told).has_value());
}

TEST(Compare, PinnedNeverStandsBesideUnpinned) {
  auto unpinned = report::testing::cpuStep(
      "a", {report::testing::metricOf("cpu_rate", model::Unit::kIterationsPerSecond, kRates,
                                      R"({"pinned":false})")});
  Options told;
  told.profiles = told.machines = Across::kAllow;
  auto refused = compareResults(sideOf({cpu("a", kRates)}), sideOf({unpinned}), told);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("pinned"));
}

TEST(Compare, IncompleteResultsStayOutAndAreNamed) {
  auto step = cpu("a", scaled(1.2), "m2");
  step.metrics[0].samples[4].verdict = model::Verdict::kContended;
  step.metrics[0].completed = 4;
  auto comparison = compareResults(sideOf({cpu("a", kRates)}), sideOf({step}), {});
  ASSERT_TRUE(comparison.has_value()) << comparison.error().message;
  EXPECT_EQ(comparison->rows[0].judgement.doubt, stats::Doubt::kNoValue);
  EXPECT_FALSE(comparison->rows[0].figures.ratio);
  ASSERT_EQ(comparison->leftOut.size(), 1U);
  EXPECT_EQ(comparison->leftOut[0].side, "B");
  EXPECT_EQ(comparison->leftOut[0].status, "contended");
  EXPECT_EQ(comparison->leftOut[0].completed, 4U);
  EXPECT_FALSE(allTold(*comparison));
}

TEST(Compare, ThreeSamplesAreNeverEnough) {
  auto comparison =
      compareResults(sideOf({cpu("a", {100, 101, 102})}), sideOf({cpu("a", {200, 201, 202})}), {});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->rows[0].judgement.doubt, stats::Doubt::kTooFew);
  EXPECT_THAT(comparison->rows[0].reason, HasSubstr("n too small: 3 and 3 samples"));
}

// Two trials on one machine are one instance; four machines are four, whatever they are called.
TEST(Compare, AMachineIsTheUnitAndATrialIsNot) {
  std::vector<ports::ReportStep> one{cpu("a", kRates, "m1"), cpu("a", scaled(1.001), "m1")};
  one[1].trial = 2;
  auto byTrial = compareResults(sideOf(one), sideOf(one), {});
  ASSERT_TRUE(byTrial.has_value());
  EXPECT_EQ(byTrial->rows[0].figures.unit, stats::SamplingUnit::kSample);
  EXPECT_EQ(byTrial->rows[0].figures.a.instances, 1U);
  EXPECT_EQ(byTrial->rows[0].figures.a.n, 10U);
  std::vector<ports::ReportStep> four;
  for (int i = 0; i < 4; ++i) {
    four.push_back(cpu("a", scaled(1 + 0.001 * i), "m" + std::to_string(i)));
    four.back().trial = static_cast<std::uint32_t>(i + 1);
  }
  auto byMachine = compareResults(sideOf(four), sideOf(four), {});
  ASSERT_TRUE(byMachine.has_value());
  EXPECT_EQ(byMachine->rows[0].figures.unit, stats::SamplingUnit::kInstance);
  EXPECT_EQ(byMachine->rows[0].figures.a.n, 4U);
  EXPECT_THAT(byMachine->notes, ::testing::Contains(HasSubstr("seed 1")));
}

TEST(Compare, NothingInCommonIsAnError) {
  auto disk = report::testing::diskStep(
      "a", {report::testing::metricOf("disk_read_rate", model::Unit::kBytesPerSecond, kRates)});
  auto probes = compareResults(sideOf({cpu("a", kRates)}), sideOf({disk}), {});
  ASSERT_FALSE(probes.has_value());
  EXPECT_THAT(probes.error().message, HasSubstr("A measured cpu; B measured disk"));
  auto runners =
      compareResults(sideOf({cpu("a", kRates), cpu("b", kRates)}), sideOf({cpu("c", kRates)}), {});
  ASSERT_FALSE(runners.has_value());
  EXPECT_THAT(runners.error().message, HasSubstr("A has a and b; B has c"));
  auto unknown = compareResults(sideOf({cpu("a", kRates)}, "x"), sideOf({cpu("a", kRates)}), {});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace fleetmark::coordinator::compare
