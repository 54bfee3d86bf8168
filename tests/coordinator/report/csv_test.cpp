#include "coordinator/report/csv.h"

#include <gtest/gtest.h>

#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

// RFC 4180 as a reader sees it.
std::vector<std::vector<std::string>> parseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\r')) {
      row.push_back(cell);
      cell.clear();
      if (c == ',') continue;
      rows.push_back(row);
      row.clear();
      ++i;  // LF
    } else {
      cell += c;
    }
  }
  EXPECT_TRUE(cell.empty() && row.empty() && !quoted) << "ends inside a row";
  return rows;
}

TEST(CsvText, QuotesAsRfc4180) {
  EXPECT_EQ(csvText("plain"), "plain");
  EXPECT_EQ(csvText("a,b"), "\"a,b\"");
  EXPECT_EQ(csvText("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csvText("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csvText(""), "");
}

TEST(CsvText, DisarmsFormulasSoThatTheyCanBeRestored) {
  EXPECT_EQ(csvText("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
  EXPECT_EQ(csvText("+1"), "'+1");
  EXPECT_EQ(csvText("-1"), "'-1");
  EXPECT_EQ(csvText("@SUM"), "'@SUM");
  EXPECT_EQ(csvText("\tx"), "'\tx");
  EXPECT_EQ(csvText("'quoted"), "''quoted");
  EXPECT_EQ(csvText("a=b"), "a=b");
}

TEST(Csv, HasARowForEverySampleWhateverItsVerdict) {
  auto data = testing::typicalCampaign();
  auto rows = parseCsv(renderCsv(buildReportModel(data)));
  // cpu: 3 runners x 2 metrics x 5; disk: 2 runners x 4 metrics x 3.
  ASSERT_EQ(rows.size(), 1u + 30 + 24);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 17u);
}

TEST(Csv, LeavesTheValueEmptyWhereThereIsNone) {
  auto metric = testing::metricOf(
      "cpu_rate", model::Unit::kIterationsPerSecond, model::Better::kHigher, 2,
      {testing::sampleOf("cpu_rate", 0, -0.1),
       testing::badSample("cpu_rate", 1, std::nullopt, model::Verdict::kTimedOut, {"a", "b, c"})});
  auto data = testing::campaignOf({testing::cpuStep("=cmd", {metric})});
  auto rows = parseCsv(renderCsv(buildReportModel(data)));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1][2], "'=cmd");
  EXPECT_EQ(rows[1][14], "-0.1");  // a number stays a number
  EXPECT_EQ(rows[1][15], "ok");
  EXPECT_EQ(rows[2][14], "");
  EXPECT_EQ(rows[2][15], "timed_out");
  EXPECT_EQ(rows[2][16], "a; b, c");
  EXPECT_EQ(rows[2][13], "2026-11-30T16:09:47.125000001Z");
}

TEST(Csv, IsAHeaderAloneWhereNothingWasMeasured) {
  auto data = testing::campaignOf({});
  auto rows = parseCsv(renderCsv(buildReportModel(data)));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0][0], "campaign");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
