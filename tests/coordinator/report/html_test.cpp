// The page as another program's parser reads it.
#include "coordinator/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "coordinator/report/chart.h"
#include "coordinator/report/html_text.h"
#include "coordinator/report/markdown.h"
#include "tests/coordinator/report/report_data.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::coordinator::report {
namespace {

using model::Unit;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto kIterations = Unit::kIterationsPerSecond;

std::string htmlOf(const ports::ReportData& data) { return renderHtml(buildReportModel(data)); }

// What tests/coordinator/report/read_html.py found; fails the test where the page is malformed.
nlohmann::json readPage(const std::string& page) {
  tests::TemporaryFolder folder;
  std::string path = folder.path() + "/report.html";
  std::ofstream(path, std::ios::binary) << page;
  std::string command = std::string("/usr/bin/python3 '") + FLEETMARK_TEST_SOURCE +
                        "/tests/coordinator/report/read_html.py' '" + path + "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no pipe");
  std::string out;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0) << "the page is malformed or python3 is missing";
  return nlohmann::json::parse(out, nullptr, false);
}

ports::ReportData oneStep(const std::vector<double>& values) {
  return testing::campaignOf(
      {testing::cpuStep("a", {testing::metricOf("cpu_rate", kIterations, values)})});
}

TEST(Html, FetchesNothingAndRunsNothing) {
  auto page = readPage(htmlOf(testing::typicalCampaign()));
  EXPECT_THAT(page["fetching"], IsEmpty());
  EXPECT_THAT(page["handlers"], IsEmpty());
  EXPECT_FALSE(page["elements"].contains("script"));
  EXPECT_FALSE(page["elements"].contains("link"));
  EXPECT_FALSE(page["elements"].contains("img"));
}

TEST(Html, HasTheTablesOfTheMarkdownRowByRow) {
  auto data = testing::typicalCampaign();
  auto page = readPage(htmlOf(data));
  // Rows of pipes in Markdown, without the rule under each head.
  std::size_t pipes = 0;
  std::istringstream lines(renderMarkdown(buildReportModel(data)));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("|") && !line.starts_with("| ---")) ++pipes;
  }
  std::size_t rows = 0;
  for (const auto& table : page["tables"]) {
    rows += table.size();
    for (const auto& cells : table) EXPECT_EQ(cells, table[0]) << table;
  }
  EXPECT_EQ(rows, pipes);
}

TEST(Html, DrawsEachSampleWhereItsValueIs) {
  // An axis to 100 begins at 2 % of the width and ends at 96 %.
  auto page = readPage(htmlOf(oneStep({100, 50, 0, 25})));
  auto circles = page["circles"];
  ASSERT_EQ(circles.size(), 8u) << "four in the strip and four in their order";
  const double wanted[] = {96, 49, 2, 25.5};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(circles[i][0], "ok");
    EXPECT_NEAR(circles[i][1].get<double>(), wanted[i], 0.01) << i;
  }
  EXPECT_THAT(page["titles"][1].get<std::string>(), HasSubstr("sample 0: 100"));
}

TEST(Html, ShowsSamplesThatAreNotValidHollowAndCountsThoseWithoutAValue) {
  std::vector<model::Sample> samples;
  for (std::uint32_t i = 0; i < 3; ++i) samples.push_back(testing::sampleOf("cpu_rate", i, 10));
  samples.push_back(
      testing::badSample("cpu_rate", 3, 5, model::Verdict::kContended, {"another <guest>"}));
  samples.push_back(
      testing::badSample("cpu_rate", 4, std::nullopt, model::Verdict::kTimedOut, {"late"}));
  auto data = testing::campaignOf({testing::cpuStep(
      "a", {testing::metricOf("cpu_rate", kIterations, model::Better::kHigher, 5, samples)})});
  auto page = readPage(htmlOf(data));
  std::size_t hollow = 0;
  for (const auto& circle : page["circles"]) hollow += circle[0] == "bad" ? 1 : 0;
  EXPECT_EQ(hollow, 2u) << "once in the strip, once in the order";
  EXPECT_THAT(page["titles"].dump(), HasSubstr("contended; another <guest>"));
  EXPECT_THAT(page["text"].get<std::string>(), HasSubstr("n = 3 of 5"));
  EXPECT_THAT(page["text"].get<std::string>(), HasSubstr("1 without a value"));
}

TEST(Html, HasAWhiskerFromSixSamplesOn) {
  EXPECT_THAT(htmlOf(oneStep({1, 2, 3, 4, 5})), Not(HasSubstr("class=\"whisker\"")));
  EXPECT_THAT(htmlOf(oneStep({1, 2, 3, 4, 5, 6})), HasSubstr("class=\"whisker\""));
}

TEST(Html, StaysSmallHoweverManySamplesThereAre) {
  std::vector<double> values;
  for (int i = 0; i < 200'000; ++i) values.push_back(1000 + i % 997);
  auto html = htmlOf(oneStep(values));
  EXPECT_LT(html.size(), 1'000'000u);
  EXPECT_THAT(html, HasSubstr("n = 200,000"));
}

TEST(Html, SurvivesHostileNames) {
  const std::string evil = "\"><script>alert(1)</script><img src=x onerror=y> ' & \x1b[2J\xFF";
  auto step = testing::cpuStep(evil, {testing::metricOf("cpu_rate", kIterations, {1, 2, 3})});
  step.agent = evil;
  step.host.cpuModel = evil;
  step.notices.push_back({evil, evil});
  step.fingerprint = evil;
  step.trial = 2;
  step.stepName = evil;
  auto data = testing::campaignOf({step});
  data.title = evil;
  data.campaign.name = evil;
  data.coordinatorVersion = evil;
  data.yaml = "campaign: </code></pre><script>x</script>\n";
  auto page = readPage(htmlOf(data));
  EXPECT_THAT(page["fetching"], IsEmpty());
  EXPECT_THAT(page["handlers"], IsEmpty());
  EXPECT_FALSE(page["elements"].contains("script"));
  EXPECT_FALSE(page["elements"].contains("img"));
}

TEST(Html, OfACampaignWithoutStepsIsWholeToo) {
  auto page = readPage(htmlOf(testing::campaignOf({})));
  EXPECT_THAT(page["text"].get<std::string>(), HasSubstr("The campaign has no steps."));
}

TEST(Axis, BeginsAtZeroAndHasRoundMarks) {
  EXPECT_THAT(axisOver(0, 100).ticks, ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(axisOver(33'000, 33'500).ticks,
              ElementsAre(0, 5000, 10'000, 15'000, 20'000, 25'000, 30'000));
  EXPECT_EQ(axisOver(33'000, 33'500).low, 0);
  EXPECT_THAT(axisOver(0, 0.0045).ticks,
              ElementsAre(0, DoubleNear(0.001, 1e-9), DoubleNear(0.002, 1e-9),
                          DoubleNear(0.003, 1e-9), DoubleNear(0.004, 1e-9)));
  EXPECT_EQ(axisOver(-5, 5).low, -5);
  EXPECT_EQ(axisOver(0, 0).high, 1);
}

TEST(EscapeHtml, LeavesNothingThatCouldBeRead) {
  EXPECT_EQ(escapeHtml("<a b=\"c\" d='e'>&amp;"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
  EXPECT_EQ(escapeHtml("a\nb"), "a b");
  EXPECT_EQ(escapeHtmlLines("a\n\tb"), "a\n\tb");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
