// Whole reports against files that were read by eye. After a wanted change:
//   FLEETMARK_UPDATE_GOLDEN=1 coordinator_report_test --gtest_filter='Golden*'
// and read the difference before it is committed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "coordinator/report/csv.h"
#include "coordinator/report/html.h"
#include "coordinator/report/json.h"
#include "coordinator/report/markdown.h"
#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

void expectGolden(const std::string& file, const std::string& text) {
  std::string path = std::string(FLEETMARK_TEST_SOURCE) + "/tests/data/report/" + file;
  if (std::getenv("FLEETMARK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << "wrote " << path;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; see the top of golden_test.cpp";
  std::stringstream wanted;
  wanted << in.rdbuf();
  EXPECT_EQ(text, wanted.str()) << "differs from " << path;
}

TEST(Golden, TypicalCampaignAsMarkdown) {
  auto data = testing::typicalCampaign();
  expectGolden("typical.md", renderMarkdown(buildReportModel(data)));
}

TEST(Golden, TypicalCampaignAsHtml) {
  auto data = testing::typicalCampaign();
  expectGolden("typical.html", renderHtml(buildReportModel(data)));
}

TEST(Golden, TypicalCampaignAsJson) {
  auto data = testing::typicalCampaign();
  expectGolden("typical.json", renderJson(buildReportModel(data)));
}

TEST(Golden, TypicalCampaignAsCsv) {
  auto data = testing::typicalCampaign();
  expectGolden("typical.csv", renderCsv(buildReportModel(data)));
}

TEST(Golden, CampaignWithoutStepsAsMarkdown) {
  auto data = testing::campaignOf({});
  expectGolden("empty.md", renderMarkdown(buildReportModel(data)));
}

TEST(Golden, SameRowsGiveSameBytes) {
  auto first = testing::typicalCampaign();
  auto second = testing::typicalCampaign();
  auto a = buildReportModel(first);
  auto b = buildReportModel(second);
  EXPECT_EQ(renderMarkdown(a), renderMarkdown(b));
  EXPECT_EQ(renderHtml(a), renderHtml(b));
  EXPECT_EQ(renderJson(a), renderJson(b));
  EXPECT_EQ(renderCsv(a), renderCsv(b));
}

}  // namespace
}  // namespace fleetmark::coordinator::report
