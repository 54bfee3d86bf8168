// The whole agent but for its connection: real spool, real children, a scripted coordinator.
#include "agent/core/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/agent/core/fake_coordinator.h"
#include "tests/agent/core/work_values.h"
#include "tests/agent/platform/mounts.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::agent::core {
namespace {

using model::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeCoordinator;
using ::testing::HasSubstr;
using testing::makeAssignment;
using testing::makeChunk;
using testing::makeCompletion;
using testing::selftestParams;

class SessionTest : public ::testing::Test {
 protected:
  ~SessionTest() override { stop(); }

  void start(const base::Clock& clock, base::Nanos stopPatience = seconds(5)) {
    auto spool = Spool::open({spoolFolder_, {256 * base::kMiB}, {keepFree_}}, clock);
    ASSERT_TRUE(spool) << spool.error().message;
    spool_ = std::move(spool).value();
    SessionOptions options;
    options.runner.program = std::string(std::getenv("FLEETMARK_BIN")) + "/fleetmark-agent";
    options.runner.tick = milliseconds(20);
    options.runner.grace = milliseconds(400);
    options.runner.chunkSamples = 1;
    options.uploader = {milliseconds(1), milliseconds(20), milliseconds(1)};
    options.pause = options.full = milliseconds(1);
    options.start.window = options.start.slice = milliseconds(1);
    options.stopPatience = stopPatience;
    options.keeperWait = milliseconds(5);
    model::AgentHello hello;
    hello.name = "local-a";
    session_ = std::make_unique<Session>(coordinator_, *spool_, clock, hello, options);
    thread_ = std::thread([this] { result_ = session_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    session_->requestStop();
    thread_.join();
  }
  static model::Assignment step(const std::string& fault, int samples = 4) {
    auto assignment = makeAssignment();
    assignment.paramsJson = selftestParams(samples, fault);
    return assignment;
  }
  bool ended(std::size_t count) {
    return coordinator_.waitUntil([&](const auto& seen) { return seen.ended.size() >= count; });
  }
  bool twoChunks() {
    return coordinator_.waitUntil([](const auto& seen) { return seen.chunks.size() == 2; });
  }
  std::size_t filesLeft() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/spool")) {
      if (entry.path().extension() == ".spool") ++count;
    }
    return count;
  }

  tests::TemporaryFolder folder_;
  std::string spoolFolder_ = folder_.path() + "/spool";
  std::int64_t keepFree_ = 0;
  tests::ManualClock manual_;
  base::SystemClock system_;
  FakeCoordinator coordinator_;
  std::unique_ptr<Spool> spool_;
  std::unique_ptr<Session> session_;
  std::thread thread_;
  base::Status result_;
};

TEST_F(SessionTest, DoesStepAfterStep) {
  coordinator_.give(step("none"));
  coordinator_.give(step("fail"));
  start(system_);
  ASSERT_TRUE(ended(2));
  stop();
  EXPECT_TRUE(result_);
  EXPECT_EQ(coordinator_.hello.name, "local-a");
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kMeasured);
  EXPECT_EQ(coordinator_.ended[0].completion.chunkCount, 4u);
  EXPECT_EQ(coordinator_.ended[0].lease, makeAssignment().lease);
  EXPECT_EQ(coordinator_.ended[1].completion.outcome, Outcome::kMeasurement);
  EXPECT_EQ(filesLeft(), 0u);
}

TEST_F(SessionTest, WaitsForACoordinatorThatIsAway) {
  coordinator_.script([](auto& script) {
    script.registers = {base::unavailable("no route"), base::overloaded("busy")};
    script.takes = {base::unavailable("lost")};
  });
  coordinator_.give(step("none"));
  start(system_);
  ASSERT_TRUE(ended(1));
}

TEST_F(SessionTest, GivesUpWhenItIsRefusedForGood) {
  coordinator_.script([](auto& script) {
    script.registers = {base::denied("this certificate is revoked; enroll the agent again")};
  });
  start(system_);
  thread_.join();
  ASSERT_FALSE(result_);
  EXPECT_EQ(result_.error().code, base::ErrorCode::kDenied);
}

TEST_F(SessionTest, ReportsAStepThatEndedWhileTheCoordinatorWasAway) {
  coordinator_.give(step("none"));
  coordinator_.script([](auto& script) {
    for (int i = 0; i < 30; ++i) {
      script.chunks.push_back(base::Result<IngestReply>(base::unavailable("lost")));
    }
  });
  start(system_);
  ASSERT_TRUE(ended(1));
  EXPECT_TRUE(coordinator_.waitUntil([](const auto& seen) {
    return seen.ended[0].completion.outcome == Outcome::kMeasured && seen.chunks.size() == 4;
  }));
}

TEST_F(SessionTest, ACancelReachesTheChildThroughTheHeartbeat) {
  coordinator_.give(step("hang"));
  start(system_);
  ASSERT_TRUE(twoChunks());
  coordinator_.script([](auto& script) { script.renewAnswer = model::RenewAnswer::kCancel; });
  ASSERT_TRUE(ended(1));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kCancelled);
  EXPECT_EQ(coordinator_.ended[0].completion.chunkCount, 2u);
}

// A stopped process finds the answer in its socket when it goes on, long after it was given.
TEST_F(SessionTest, WorkThatWasLongOnItsWayIsNotBegunWithoutItsLease) {
  coordinator_.script([](auto& script) { script.renewAnswer = model::RenewAnswer::kLost; });
  start(manual_);
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.takesUnderWay == 1; }));
  manual_.advance(2 * makeAssignment().leaseTtl);
  coordinator_.give(step("none"));
  ASSERT_TRUE(ended(1));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(coordinator_.ended[0].completion.message, HasSubstr("before the probe was started"));
  EXPECT_EQ(coordinator_.chunkCalls, 0);
}

TEST_F(SessionTest, WorkThatWasWaitedForBeginsOnceItsLeaseIsRenewed) {
  start(manual_);
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.takesUnderWay == 1; }));
  manual_.advance(2 * makeAssignment().leaseTtl);
  coordinator_.give(step("none"));
  ASSERT_TRUE(ended(1));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kMeasured);
}

TEST_F(SessionTest, ALostLeaseEndsTheChild) {
  coordinator_.give(step("ignore-term"));
  start(system_);
  ASSERT_TRUE(twoChunks());
  coordinator_.script([](auto& script) { script.renewAnswer = model::RenewAnswer::kLost; });
  ASSERT_TRUE(ended(1));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(coordinator_.ended[0].completion.message, HasSubstr("took the lease back"));
}

TEST_F(SessionTest, ASilentCoordinatorLosesTheStepByTheAgentsOwnClock) {
  coordinator_.give(step("hang"));
  start(manual_, base::Nanos(0));
  ASSERT_TRUE(twoChunks());
  coordinator_.script([](auto& script) { script.silentRenews = true; });
  manual_.advance(seconds(11));  // a renewal is due and is never answered
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.renewsUnderWay == 1; }));
  manual_.advance(seconds(27));
  ASSERT_TRUE(ended(1));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(coordinator_.ended[0].completion.message, HasSubstr("could not be renewed in time"));
}

TEST_F(SessionTest, AStopEndsTheRunningStepAndReportsIt) {
  coordinator_.give(step("hang"));
  start(system_);
  ASSERT_TRUE(twoChunks());
  stop();
  EXPECT_TRUE(result_);
  ASSERT_EQ(coordinator_.ended.size(), 1u);
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(coordinator_.ended[0].completion.message, HasSubstr("agent was stopped"));
  EXPECT_EQ(filesLeft(), 0u);
}

TEST_F(SessionTest, AStopWithoutACoordinatorKeepsTheReportForTheNextStart) {
  coordinator_.give(step("hang"));
  start(system_, milliseconds(50));
  ASSERT_TRUE(twoChunks());
  coordinator_.script([](auto& script) { script.unreachable = true; });
  stop();
  EXPECT_EQ(coordinator_.ended.size(), 0u);
  EXPECT_EQ(filesLeft(), 1u);
}

TEST_F(SessionTest, AStopWhileItWaitsForWorkIsImmediate) {
  start(system_);
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.takesUnderWay == 1; }));
  stop();
  EXPECT_TRUE(result_);
}

TEST_F(SessionTest, ARestartReportsWhatWasInterruptedAndWhatWasFinished) {
  {
    auto spool = Spool::open({folder_.path() + "/spool", {256 * base::kMiB}, {0}}, manual_);
    ASSERT_TRUE(spool);
    auto finished = (*spool)->begin(makeAssignment(1));
    ASSERT_TRUE((*spool)->append(*finished, makeChunk(0)));
    ASSERT_TRUE((*spool)->complete(*finished, makeCompletion(1)));
    manual_.advance(seconds(1));
    auto interrupted = makeAssignment(2);
    interrupted.lease.step = base::StepId{8};
    auto key = (*spool)->begin(interrupted);
    ASSERT_TRUE((*spool)->append(*key, makeChunk(0)));
  }
  start(system_);
  ASSERT_TRUE(ended(2));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion, makeCompletion(1));
  EXPECT_EQ(coordinator_.ended[1].lease.step.value, 8);
  EXPECT_EQ(coordinator_.ended[1].completion.outcome, Outcome::kInfrastructure);
  EXPECT_EQ(coordinator_.ended[1].completion.chunkCount, 1u);
  EXPECT_THAT(coordinator_.ended[1].completion.message,
              HasSubstr("agent restarted during the step"));
  EXPECT_EQ(filesLeft(), 0u);
}

TEST_F(SessionTest, ReportsTheOldBeforeItTakesTheNew) {
  coordinator_.script([](auto& script) {
    script.completions.push_back(base::Result<IngestReply>(base::unavailable("lost")));
    script.completions.push_back(base::Result<IngestReply>(base::unavailable("lost")));
  });
  coordinator_.give(step("none"));
  coordinator_.give(step("none", 2));
  start(system_);
  ASSERT_TRUE(ended(2));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion.chunkCount, 4u);
  EXPECT_EQ(coordinator_.ended[1].completion.chunkCount, 2u);
}

TEST_F(SessionTest, AGroupThatIsReleasedStartsNothingAndTheNextStepGoesOn) {
  auto member = step("none");
  member.group = "pair";
  coordinator_.script([](auto& script) { script.arrivals = {model::ArriveAnswer::kReleased}; });
  coordinator_.give(member);
  coordinator_.give(step("none"));
  start(system_);
  ASSERT_TRUE(ended(2));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(coordinator_.ended[0].completion.message, HasSubstr("did not come in time"));
  EXPECT_EQ(coordinator_.ended[0].completion.chunkCount, 0u);
  EXPECT_EQ(coordinator_.ended[1].completion.outcome, Outcome::kMeasured);
}

TEST_F(SessionTest, WhatTheHostDidBeforeTheProbeIsReportedWithTheAttempt) {
  auto assignment = step("none");
  // This session looks at no host, so whether it is quiet can't be told.
  assignment.quiet = model::QuietSpec{0.3, base::Nanos(0), model::QuietOtherwise::kMark};
  coordinator_.give(assignment);
  start(system_);
  ASSERT_TRUE(ended(1));
  stop();
  const auto& completion = coordinator_.ended[0].completion;
  EXPECT_EQ(completion.outcome, Outcome::kMeasured);
  EXPECT_THAT(completion.quietJson, HasSubstr("\"quiet\":false"));
  ASSERT_EQ(completion.notices.size(), 1u);
  EXPECT_EQ(completion.notices[0].stage, "agent/quiet");
}

TEST_F(SessionTest, AFullDiskStopsNewWorkAndNotTheReportOfOld) {
  // Mounted before the session's thread is made, which so sees it too.
  auto disk = agent::testing::TestMount::tmpfs({1024 * base::kKiB});
  if (!disk) GTEST_SKIP() << "no tmpfs can be mounted here: " << disk.error().message;
  spoolFolder_ = disk->path() + "/spool";
  {
    auto spool = Spool::open({spoolFolder_, {256 * base::kMiB}, {0}}, manual_);
    ASSERT_TRUE(spool) << spool.error().message;
    auto key = (*spool)->begin(makeAssignment(1));
    ASSERT_TRUE((*spool)->append(*key, makeChunk(0)));
    ASSERT_TRUE((*spool)->complete(*key, makeCompletion(1)));
  }
  std::ofstream(disk->path() + "/filler") << std::string(2 * base::kMiB, 'x');
  keepFree_ = 64 * base::kKiB;
  coordinator_.give(step("none"));
  start(system_);
  ASSERT_TRUE(ended(1));
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.renewals >= 3; }));
  coordinator_.waitUntil([](const auto& seen) {
    EXPECT_EQ(seen.ended.size(), 1u);
    EXPECT_EQ(seen.takesUnderWay, 0);
    return true;
  });
  std::filesystem::remove(disk->path() + "/filler");
  ASSERT_TRUE(ended(2));
  stop();
  EXPECT_EQ(coordinator_.ended[0].completion, makeCompletion(1));
  EXPECT_EQ(coordinator_.ended[1].completion.outcome, Outcome::kMeasured);
}

}  // namespace
}  // namespace fleetmark::agent::core
