#include "coordinator/report/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "coordinator/report/markdown_text.h"
#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

using model::Unit;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kRate = Unit::kIterationsPerSecond;

std::string markdownOf(const ports::ReportData& data) {
  return renderMarkdown(buildReportModel(data));
}

// Unescaped pipes, less one: what a reader of GitHub's dialect takes for cells.
std::size_t cells(const std::string& line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++count;
    }
  }
  return count - 1;
}

void expectWholeTables(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::size_t width = 0;
  while (std::getline(lines, line)) {
    if (!line.starts_with('|')) {
      width = 0;
      continue;
    }
    if (width == 0) width = cells(line);
    EXPECT_EQ(cells(line), width) << line;
    EXPECT_TRUE(line.ends_with('|')) << line;
  }
}

TEST(EscapeMarkdown, LeavesNothingThatCouldBeRead) {
  EXPECT_EQ(escapeMarkdown("a|b"), "a\\|b");
  EXPECT_EQ(escapeMarkdown("<img src=x>"), "&lt;img src=x&gt;");
  EXPECT_EQ(escapeMarkdown("&lt;"), "&amp;lt;");
  EXPECT_EQ(escapeMarkdown("a\nb"), "a b");
  EXPECT_EQ(escapeMarkdown("`rm`"), "\\`rm\\`");
  EXPECT_EQ(escapeMarkdown("[x](http://e)"), "\\[x\\](http://e)");
  EXPECT_EQ(escapeMarkdown("**b** _i_ ~~s~~ a\\"), "\\*\\*b\\*\\* \\_i\\_ \\~\\~s\\~\\~ a\\\\");
  EXPECT_EQ(escapeMarkdown("usd_per_minute"), "usd_per_minute");
}

TEST(CodeOrText, UsesACodeSpanForPlainTextAlone) {
  EXPECT_EQ(codeOrText("3f9a1c0b77d2"), "`3f9a1c0b77d2`");
  EXPECT_EQ(codeOrText("a`b"), "a\\`b");
  EXPECT_EQ(codeOrText("a|b"), "a\\|b");
}

TEST(Fenced, CantBeClosedFromInside) {
  EXPECT_EQ(fenced("a", "yaml"), "```yaml\na\n```\n");
  EXPECT_EQ(fenced("a\n````\n# out", "yaml"), "`````yaml\na\n````\n# out\n`````\n");
}

TEST(Markdown, HasWholeTables) { expectWholeTables(markdownOf(testing::typicalCampaign())); }

TEST(Markdown, ShowsFiguresComputedByHand) {
  // 33000, 33100, 33120, 33180, 33250: median 33120, mean 33130, deviation 83.4, 0.25 %.
  auto text = markdownOf(testing::typicalCampaign());
  EXPECT_THAT(text, HasSubstr("| local-a | 33,120 | 33,000\xE2\x80\x93"
                              "33,250 | 0.25 | "
                              "5 / 5 / 5 | complete |"));
  // Two valid of three: median 20150.5, half of their distance 50.25, 0.25 %.
  EXPECT_THAT(text, HasSubstr("| local-b | 20,150 | 20,100\xE2\x80\x93"
                              "20,201 | 0.25 | "
                              "2 / 3 / 3 | incomplete |"));
}

TEST(Markdown, NeverHasPinnedAndUnpinnedInOneTable) {
  auto text = markdownOf(testing::typicalCampaign());
  std::istringstream lines(text);
  std::string line;
  bool pinned = false;
  bool unpinned = false;
  bool inCpuTable = false;
  while (std::getline(lines, line)) {
    if (!line.starts_with('|')) {
      pinned = unpinned = inCpuTable = false;
      continue;
    }
    if (line.find("it/s") != std::string::npos) inCpuTable = true;
    if (!inCpuTable) continue;
    pinned = pinned || line.starts_with("| local-");
    unpinned = unpinned || line.starts_with("| lab-mac");
    EXPECT_FALSE(pinned && unpinned) << line;
  }
}

TEST(Markdown, SurvivesHostileNames) {
  const std::string evil = "a|b\n# x <script>alert(1)</script> `c` [l](http://e) =1+1\r\n\x1b[2J";
  auto step = testing::cpuStep(evil, {testing::metricOf("cpu_rate", kRate, {1, 2, 3})});
  step.agent = evil;
  step.host.hostname = evil;
  step.host.cpuModel = evil;
  step.host.osImage = evil;
  step.environmentBeforeJson = R"({"compiler":"a|b\n<b>","flags":"`x`"})";
  step.notices.push_back({evil, evil});
  step.failedAttempts.push_back(evil);
  step.fingerprint = evil;
  step.stepName = evil;
  step.trial = 2;
  step.paramsJson = R"({"fault":"x|y\n<b>"})";
  auto lost = testing::cpuStep(evil, {});
  lost.state = domain::StepState::kLost;
  lost.message = evil;
  auto data = testing::campaignOf({step, lost});
  data.title = evil;
  data.description = evil;
  data.campaign.name = evil;
  data.runners.front().labels = {{evil, evil}};
  data.yaml = "campaign: x\n```\n# out of the fence\n";
  auto text = markdownOf(data);
  auto yaml = text.find("````yaml");
  ASSERT_NE(yaml, std::string::npos);
  std::string body = text.substr(0, yaml);
  EXPECT_THAT(body, Not(HasSubstr("<script")));
  EXPECT_THAT(body, Not(HasSubstr("<b>")));
  EXPECT_THAT(body, Not(HasSubstr("\n# x")));
  EXPECT_THAT(body, Not(HasSubstr("\x1b")));
  EXPECT_THAT(body, Not(HasSubstr("\r")));
  expectWholeTables(body);
}

TEST(Markdown, ShowsADashWhereThereIsNoNumber) {
  auto failed = testing::diskStep("a", {});
  failed.state = domain::StepState::kFailed;
  failed.message = "no space left on /var/tmp";
  auto text = markdownOf(testing::campaignOf({failed}));
  EXPECT_THAT(text, HasSubstr("None of 1 measurement is complete."));
  EXPECT_THAT(text,
              HasSubstr("| a | \xE2\x80\x94 | \xE2\x80\x94 | \xE2\x80\x94 | 0 / 0 / 3 | failed |"));
  EXPECT_THAT(text, HasSubstr("failed: no space left on /var/tmp"));
  EXPECT_THAT(text, Not(HasSubstr("| 0 |")));
}

TEST(Markdown, HasNoVariationForOneSample) {
  auto text = markdownOf(testing::campaignOf(
      {testing::selftestStep("a", {testing::metricOf("selftest_value", Unit::kCount, {7})})}));
  EXPECT_THAT(text, HasSubstr("| a | 7 | 7\xE2\x80\x93"
                              "7 | \xE2\x80\x94 | 1 / 1 / 1 | complete |"));
}

TEST(Markdown, HasPercentilesOnlyFromTheirLeastCount) {
  std::vector<double> values;
  for (int i = 1; i <= 19; ++i) values.push_back(i);
  auto of = [&] {
    return markdownOf(testing::campaignOf(
        {testing::cpuStep("a", {testing::metricOf("cpu_rate", kRate, values)})}));
  };
  EXPECT_THAT(of(), Not(HasSubstr("| p95")));
  values.push_back(20);
  EXPECT_THAT(of(), HasSubstr("| p95, it/s |"));
  EXPECT_THAT(of(), Not(HasSubstr("| p99")));
}

TEST(Markdown, ShowsStepsThatWereCancelledOrStillWait) {
  auto cancelled = testing::cpuStep("a", {});
  cancelled.state = domain::StepState::kCancelled;
  auto waiting = testing::cpuStep("b", {});
  waiting.state = domain::StepState::kBlocked;
  auto running = testing::cpuStep("c", {});
  running.state = domain::StepState::kLeased;
  auto text = markdownOf(testing::campaignOf({cancelled, waiting, running}));
  EXPECT_THAT(text, HasSubstr("0 / 0 / 5 | cancelled |"));
  EXPECT_THAT(text, HasSubstr("0 / 0 / 5 | waiting |"));
  EXPECT_THAT(text, HasSubstr("0 / 0 / 5 | running |"));
}

TEST(Markdown, RemindsOfTheSeedOnlyWhereTheCampaignLacksIt) {
  auto data = testing::campaignOf({});
  EXPECT_THAT(markdownOf(data), HasSubstr("add `seed: 20261115`"));
  data.yaml = "campaign: quick\nseed: 20261115\n";
  EXPECT_THAT(markdownOf(data), Not(HasSubstr("add `seed:")));
}

// Two runners, two trials each, begun at these seconds.
std::string orderOf(std::vector<int> a, std::vector<int> b) {
  std::vector<ports::ReportStep> steps;
  auto add = [&steps](const char* runner, const std::vector<int>& seconds) {
    std::uint32_t trial = 0;
    for (int second : seconds) {
      auto step = testing::cpuStep(runner, {testing::metricOf("cpu_rate", kRate, {1, 2})});
      step.trial = ++trial;
      step.startedAt = base::WallTime(std::chrono::seconds(1'000'000 + second));
      steps.push_back(std::move(step));
    }
  };
  add("a", a);
  add("b", b);
  auto data = testing::campaignOf(std::move(steps));
  return renderMarkdown(buildReportModel(data));
}

TEST(Markdown, SaysWhenRunnersWereMeasuredOneAfterTheOther) {
  const std::string apart = "all steps of a began before the first of b";
  EXPECT_NE(orderOf({0, 10}, {20, 30}).find(apart), std::string::npos);
  EXPECT_NE(orderOf({20, 30}, {0, 10}).find("all steps of b began before the first of a"),
            std::string::npos);
  EXPECT_EQ(orderOf({0, 20}, {10, 30}).find("began before the first"), std::string::npos);
  EXPECT_EQ(orderOf({0, 30}, {10, 20}).find("began before the first"), std::string::npos);
  EXPECT_EQ(orderOf({0}, {10}).find("began before the first"), std::string::npos)
      << "one step each has no order to choose";
}

// The published table: one runner measured, one for which the server answered 403.
TEST(Markdown, InternetKeepsWhatWasUnavailableBesideWhatWasMeasured) {
  const std::string down = "internet_download_rate", up = "internet_upload_rate";
  const std::string reason = "download, request 1 of 32: answered 403 Forbidden";
  auto refused = [&](const std::string& metric) {
    std::vector<model::Sample> samples;
    for (std::uint32_t i = 0; i < 3; ++i) {
      samples.push_back(
          testing::badSample(metric, i, std::nullopt, model::Verdict::kUnavailable, {reason}));
    }
    return testing::metricOf(metric, Unit::kBitsPerSecond, model::Better::kHigher, 3, samples);
  };
  auto data = testing::campaignOf(
      {testing::internetStep("good",
                             {testing::metricOf(down, Unit::kBitsPerSecond, {9e8, 9.3e8, 9.6e8}),
                              testing::metricOf(up, Unit::kBitsPerSecond, {4e8, 4e8, 4e8})}),
       testing::internetStep("refused", {refused(down), refused(up)})});
  for (auto& metric : data.steps[1].metrics) metric.headline = true;
  const auto text = markdownOf(data);
  expectWholeTables(text);
  EXPECT_THAT(text,
              HasSubstr("Server: LibreSpeed (Amsterdam), `https://speed.example.org/backend/`."));
  EXPECT_THAT(text, HasSubstr("Download, Mbps"));
  EXPECT_THAT(text, HasSubstr("930"));
  EXPECT_THAT(text, HasSubstr("0 / 3 / 3"));
  EXPECT_THAT(text, HasSubstr("unavailable"));
  EXPECT_THAT(text, HasSubstr("answered 403 Forbidden"));
  EXPECT_THAT(text, HasSubstr("it is no round trip time"));
}

}  // namespace
}  // namespace fleetmark::coordinator::report
