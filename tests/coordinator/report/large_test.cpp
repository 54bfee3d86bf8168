// A million samples: what is rendered passes through in pieces and is never held as a whole.
#include <gtest/gtest.h>

#include <algorithm>

#include "coordinator/report/csv.h"
#include "coordinator/report/json.h"
#include "coordinator/report/markdown.h"
#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

constexpr std::uint32_t kMany = 1'000'000;

class CountingOutput final : public Output {
 public:
  void write(std::string_view piece) override {
    longest_ = std::max(longest_, piece.size());
    total_ += piece.size();
    lines_ += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
  }
  std::size_t longest() const { return longest_; }
  std::size_t total() const { return total_; }
  std::size_t lines() const { return lines_; }

 private:
  std::size_t longest_ = 0;
  std::size_t total_ = 0;
  std::size_t lines_ = 0;
};

TEST(LargeReport, PassesAMillionSamplesThroughInSmallPieces) {
  ports::ReportMetric metric;
  metric.metric = "selftest_value";
  metric.unit = model::Unit::kCount;
  metric.headline = true;
  metric.requested = metric.attempted = kMany;
  metric.completed = kMany - 1;
  metric.median = metric.min = metric.max = metric.mean = 1;
  metric.cv = 0;
  metric.method = "nearest-rank/1";
  metric.samples.reserve(kMany);
  for (std::uint32_t i = 0; i + 1 < kMany; ++i) {
    metric.samples.push_back(testing::sampleOf("selftest_value", i, 1));
  }
  metric.samples.push_back(testing::badSample("selftest_value", kMany - 1, std::nullopt,
                                              model::Verdict::kTimedOut, {"late"}));
  auto data = testing::campaignOf({testing::selftestStep("a", {std::move(metric)})});
  auto model = buildReportModel(data);

  CountingOutput csv;
  renderCsv(model, csv);
  EXPECT_EQ(csv.lines(), kMany + 1u);
  EXPECT_LE(csv.longest(), kPieceBytes);

  CountingOutput json;
  renderJson(model, json);
  EXPECT_GT(json.lines(), kMany);
  EXPECT_LE(json.longest(), kPieceBytes);

  EXPECT_LT(renderMarkdown(model).size(), 20'000u);
}

}  // namespace
}  // namespace fleetmark::coordinator::report
