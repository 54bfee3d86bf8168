#include "coordinator/report/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

nlohmann::json resultOf(const ports::ReportData& data) {
  return nlohmann::json::parse(renderJson(buildReportModel(data)));
}

TEST(Json, KeepsEveryDigit) {
  std::vector<double> values{0.1, 1.0 / 3, 1563.93 * 1048576, 5e-324,
                             std::numeric_limits<double>::max() / 8};
  auto data = testing::campaignOf(
      {testing::cpuStep("a", {testing::metricOf("cpu_rate", model::Unit::kRatio, values)})});
  auto result = resultOf(data);
  const auto& samples = result["results"][0]["metrics"][0]["samples"];
  ASSERT_EQ(samples.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(samples[i]["value"].get<double>(), values[i]);
  }
}

TEST(Json, HasNullWhereThereIsNoNumber) {
  auto failed = testing::cpuStep("a", {});
  failed.state = domain::StepState::kFailed;
  failed.host.effectiveCpus = 0;
  auto data = testing::campaignOf({failed});
  auto result = resultOf(data)["results"][0];
  EXPECT_EQ(result["status"], "failed");
  EXPECT_TRUE(result["message"].is_null());
  EXPECT_TRUE(result["pinned"].is_null());
  EXPECT_TRUE(result["host"]["effective_cpus"].is_null());
  const auto& metric = result["metrics"][0];
  EXPECT_TRUE(metric["median"].is_null());
  EXPECT_TRUE(metric["cv"].is_null());
  EXPECT_EQ(metric["completed"], 0);
  EXPECT_EQ(metric["requested"], 5);
}

TEST(Json, HasNoHostWhereNoAgentCame) {
  auto data = testing::typicalCampaign();
  auto result = resultOf(data);
  bool found = false;
  for (const auto& row : result["results"]) {
    if (row["runner"] != "never-there") continue;
    found = true;
    EXPECT_TRUE(row["host"].is_null());
    EXPECT_TRUE(row["started_at"].is_null());
    EXPECT_EQ(row["failed_attempts"].size(), 3u);
  }
  EXPECT_TRUE(found);
}

TEST(Json, KeepsASeedAbove53Bits) {
  auto data = testing::campaignOf({});
  data.seed = 18446744073709551615u;
  EXPECT_EQ(resultOf(data)["campaign"]["seed"], "18446744073709551615");
}

TEST(Json, SurvivesHostileText) {
  auto step = testing::cpuStep("a\"},{\"x\":\"", {});
  step.message = "\xFF\x01\n</script>";
  step.environmentBeforeJson = "{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}";
  step.host.environmentJson = "not JSON";
  step.notices.push_back({"\"", "\\"});
  auto data = testing::campaignOf({step});
  auto result = resultOf(data)["results"][0];
  EXPECT_EQ(result["runner"], "a\"},{\"x\":\"");
  EXPECT_EQ(result["message"], "\xEF\xBF\xBD\x01\n</script>");
  EXPECT_TRUE(result["environment_before"].is_null());
  EXPECT_TRUE(result["host"]["environment"].is_null());
  EXPECT_EQ(result["notices"][0]["message"], "\\");
}

TEST(Json, AgreesWithTheOtherFormatsOnEveryStatus) {
  auto data = testing::typicalCampaign();
  auto model = buildReportModel(data);
  auto result = nlohmann::json::parse(renderJson(model));
  std::size_t index = 0;
  for (const auto& section : model.sections) {
    for (const auto& row : section.steps) {
      EXPECT_EQ(result["results"][index++]["status"], std::string(toString(row.status)));
    }
  }
  EXPECT_EQ(index, data.steps.size());
  EXPECT_EQ(result["results"].size(), data.steps.size());
}

}  // namespace
}  // namespace fleetmark::coordinator::report
