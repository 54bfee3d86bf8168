#include "coordinator/cli/watch_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "coordinator/cli/private_fleet.h"

namespace fleetmark::coordinator::cli {
namespace {

using domain::StepState;
using std::chrono::seconds;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStdout;

const base::WallTime kNow = base::fromUnixNanos(1'796'054'400'000'000'000);

ports::StepStatus step(std::int64_t id, StepState state) {
  ports::StepStatus out;
  out.step = base::StepId{id};
  out.runner = "local-" + std::to_string(id);
  out.probe = "cpu";
  out.state = state;
  out.estimate = seconds(10);
  out.samplesRequested = 3;
  return out;
}

TEST(ProgressBar, FillsBetweenItsBrackets) {
  EXPECT_EQ(progressBar(0, 12), "[>         ]");
  EXPECT_EQ(progressBar(0.5, 12), "[=====>    ]");
  EXPECT_EQ(progressBar(1, 12), "[==========]");
  EXPECT_EQ(progressBar(7, 12), "[==========]");
  EXPECT_EQ(progressBar(-1, 12), "[>         ]");
  EXPECT_EQ(progressBar(0.5, 2), "[]");
  EXPECT_EQ(progressBar(0.5, 0), "[]");
}

TEST(Remaining, CountsWhatHasNotEndedAndAtLeastASecondOfWhatRuns) {
  ports::CampaignStatus status;
  EXPECT_EQ(remaining(status, kNow), base::Nanos(0));
  status.steps = {step(1, StepState::kMeasured), step(2, StepState::kLeased),
                  step(3, StepState::kReady), step(4, StepState::kBlocked)};
  status.steps[1].startedAt = kNow - seconds(4);
  EXPECT_EQ(remaining(status, kNow), seconds(6 + 10 + 10));
  status.steps[1].startedAt = kNow - seconds(60);  // over its estimate
  EXPECT_EQ(remaining(status, kNow), seconds(1 + 10 + 10));
}

TEST(WatchLines, EachChangeIsALineOnce) {
  WatchView view(WatchStyle::kLines, {});
  ports::CampaignStatus status;
  status.steps = {step(1, StepState::kReady), step(2, StepState::kBlocked)};
  auto shown = [&] {
    CaptureStdout();
    view.show(status, kNow);
    return GetCapturedStdout();
  };
  EXPECT_EQ(shown(), "");
  status.steps[0].state = StepState::kLeased;
  status.steps[0].attempts = 1;
  EXPECT_EQ(shown(), "  local-1   cpu   running\n");
  status.steps[0].progress = "sample 2 of 3";
  EXPECT_EQ(shown(), "");
  status.steps[0].attempts = 2;  // lost and taken again
  EXPECT_NE(shown().find("running"), std::string::npos);
  status.steps[0].state = StepState::kFailed;
  status.steps[0].message = "\x1b[2Jthe folder is gone";
  auto line = shown();
  EXPECT_NE(line.find("failed"), std::string::npos);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown(), "");
}

TEST(WatchLines, APauseAndItsEndAreALineEach) {
  WatchView view(WatchStyle::kLines, {});
  ports::CampaignStatus status;
  auto shown = [&] {
    CaptureStdout();
    view.show(status, kNow);
    return GetCapturedStdout();
  };
  EXPECT_EQ(shown(), "");
  status.summary.paused = true;
  EXPECT_EQ(shown(), "the campaign is paused; fleetmark resume lets it go on\n");
  EXPECT_EQ(shown(), "");
  status.summary.paused = false;
  EXPECT_EQ(shown(), "the campaign goes on\n");
}

TEST(WatchBlock, IsDrawnAgainOverItself) {
  WatchView view(WatchStyle::kBlock, {});
  ports::CampaignStatus status;
  status.steps = {step(1, StepState::kLeased), step(2, StepState::kReady)};
  auto shown = [&] {
    CaptureStdout();
    view.show(status, kNow);
    return GetCapturedStdout();
  };
  auto first = shown();
  EXPECT_EQ(first.find("\x1b[3A"), std::string::npos);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 3);  // two steps and the bar
  EXPECT_NE(first.find("0 of 2 steps, about 20s left"), std::string::npos) << first;
  EXPECT_EQ(shown().rfind("\x1b[3A", 0), 0u);
  view.finish();
  EXPECT_EQ(shown().find("\x1b[3A"), std::string::npos);
}

TEST(WatchBlock, ALongCampaignShowsFortyStepsAtMost) {
  WatchView view(WatchStyle::kBlock, {});
  ports::CampaignStatus status;
  for (int i = 1; i <= 200; ++i) status.steps.push_back(step(i, StepState::kMeasured));
  status.steps[0].state = StepState::kLeased;
  CaptureStdout();
  view.show(status, kNow);
  auto text = GetCapturedStdout();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 41);
  EXPECT_NE(text.find("running"), std::string::npos);
}

TEST(WatchJson, EventsAreLinesAndStepsAreSilent) {
  WatchView view(WatchStyle::kJson, {});
  CaptureStdout();
  ports::CampaignStatus status;
  status.steps = {step(1, StepState::kLeased)};
  view.show(status, kNow);
  ports::CampaignEvent event;
  event.cursor = "4:1";
  event.at = kNow;
  event.kind = "step.claimed";
  event.step = base::StepId{7};
  event.dataJson = R"({"agent":"a"})";
  view.event(event);
  EXPECT_EQ(GetCapturedStdout(),
            "{\"cursor\":\"4:1\",\"at\":\"2026-11-30T16:00:00.000Z\",\"kind\":\"step.claimed\","
            "\"step\":7,\"data\":{\"agent\":\"a\"}}\n");
}

TEST(LocalAgentName, GoesOnAfterZ) {
  EXPECT_EQ(localAgentName(0), "local-a");
  EXPECT_EQ(localAgentName(25), "local-z");
  EXPECT_EQ(localAgentName(26), "local-27");
}

}  // namespace
}  // namespace fleetmark::coordinator::cli
