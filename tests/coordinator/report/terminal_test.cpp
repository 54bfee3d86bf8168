#include "coordinator/report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "coordinator/report/text.h"
#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

using domain::StepState;
using ports::StepStatus;
using ::testing::HasSubstr;
using ::testing::Not;

StepStatus stepOf(const std::string& runner, const std::string& probe, StepState state) {
  StepStatus step;
  step.runner = runner;
  step.probe = probe;
  step.state = state;
  step.samplesRequested = 3;
  return step;
}

StepStatus measured(const std::string& runner, double value, double cv, std::uint32_t ok) {
  auto step = stepOf(runner, "cpu", StepState::kMeasured);
  step.samplesOk = ok;
  step.samplesSeen = 3;
  step.headlineMetric = "cpu_rate";
  step.headlineValue = value;
  step.headlineCv = cv;
  return step;
}

std::vector<StepStatus> mixed() {
  auto disk = stepOf("local-a", "disk", StepState::kLeased);
  disk.progress = "random read 2/3";
  auto waiting = stepOf("local-b", "cpu", StepState::kReady);
  waiting.waiting = "machine busy: local-a disk";
  auto failed = stepOf("local-b", "disk", StepState::kFailed);
  failed.message = "no space left";
  return {measured("local-a", 33120.4, 0.004, 3), disk, waiting, failed};
}

TEST(StepLines, AlignFiguresAndSayWhatHappens) {
  EXPECT_EQ(stepLines(mixed(), {}),
            "  local-a   cpu    done      33,120 it/s   CV 0.4 %   3/3\n"
            "  local-a   disk   running   random read 2/3\n"
            "  local-b   cpu    waiting   machine busy: local-a disk\n"
            "  local-b   disk   failed    no space left\n");
}

TEST(StepLines, AlignFiguresOfDifferentLength) {
  EXPECT_EQ(stepLines({measured("a", 333120, 0.1234, 3), measured("bb", 120, 0.004, 2)}, {}),
            "  a    cpu   done         333,120 it/s   CV 12.3 %   3/3\n"
            "  bb   cpu   incomplete     120.0 it/s    CV 0.4 %   2/3\n");
}

TEST(StepLines, HaveNoVariationForOneSampleAndADashForNoNumber) {
  auto none = stepOf("b", "cpu", StepState::kMeasured);
  EXPECT_EQ(stepLines({measured("a", 120, 0, 1), none}, {}),
            "  a   cpu   incomplete   120.0 it/s   1/3\n"
            "  b   cpu   incomplete            \xE2\x80\x94   0/3\n");
}

TEST(StepLines, StayWithinTheWidth) {
  auto steps = mixed();
  steps[3].message = std::string(500, 'x');
  steps[0].runner = std::string(60, 'r');
  for (std::size_t width : {40, 60, 80, 100}) {
    std::istringstream lines(stepLines(steps, {width, Colour::kNever}));
    std::string line;
    while (std::getline(lines, line)) {
      EXPECT_LE(columns(line), width) << line;
    }
    EXPECT_THAT(stepLines(steps, {width, Colour::kNever}), HasSubstr("33,120 it/s"));
  }
}

TEST(StepLines, ColourTheStateAloneAndOnlyWhenAsked) {
  auto plain = stepLines(mixed(), {100, Colour::kNever});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  auto coloured = stepLines(mixed(), {100, Colour::kAnsi});
  EXPECT_THAT(coloured, HasSubstr("\x1b[32mdone   \x1b[0m"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[31mfailed \x1b[0m"));
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
    } else {
      stripped += coloured[i];
    }
  }
  EXPECT_EQ(stripped, plain);
}

TEST(StepLines, LetNoControlCodeThrough) {
  auto step = stepOf("a\x1b[2J", "cpu", StepState::kFailed);
  step.message = "x\r\n\x1b]0;title\x07";
  auto text = stepLines({step}, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(TotalsLine, CountsWhatIsThere) {
  ports::CampaignSummary campaign;
  campaign.stepsTotal = 4;
  campaign.stepsMeasured = 4;
  campaign.submittedAt = base::fromUnixNanos(testing::kStartNs);
  EXPECT_EQ(totalsLine(campaign), "4 of 4 measured");
  campaign.stepsMeasured = 2;
  campaign.stepsFailed = 1;
  campaign.stepsLost = 1;
  campaign.samplesInvalid = 2;
  campaign.finishedAt = campaign.submittedAt + std::chrono::seconds(74);
  EXPECT_EQ(
      totalsLine(campaign),
      "2 of 4 measured \xC2\xB7 1 failed \xC2\xB7 1 lost \xC2\xB7 2 samples not valid \xC2\xB7 "
      "1 min 14 s");
}

TEST(TerminalSummary, EndsWithTheTotals) {
  ports::CampaignSummary campaign;
  EXPECT_EQ(terminalSummary(campaign, {}, {}), "0 of 0 measured\n");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
