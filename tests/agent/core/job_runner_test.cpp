// With real children: the agent's own program and its selftest probe, whose faults are on request.
#include "agent/core/job_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/platform/files.h"
#include "common/platform/process_tree.h"
#include "tests/agent/core/work_values.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::agent::core {
namespace {

using model::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::makeAssignment;
using testing::selftestParams;
using ::testing::StartsWith;

std::string messagesOf(const model::Completion& completion) {
  std::string out;
  for (const auto& notice : completion.notices) out += notice.stage + ": " + notice.message + "\n";
  return out;
}

class MemorySink final : public RunSink {
 public:
  base::Status chunk(const model::SampleChunk& chunk) override {
    if (chunks.size() >= room) return base::overloaded("the test's disk is full");
    chunks.push_back(chunk);
    if (onChunk) onChunk();
    return {};
  }
  void progress(const std::string& text) override { progresses.push_back(text); }
  void log(const std::string& text) override {
    logs += text;
    if (onLog) onLog();
  }

  std::vector<model::Sample> samples() const {
    std::vector<model::Sample> out;
    for (const auto& chunk : chunks) {
      out.insert(out.end(), chunk.samples.begin(), chunk.samples.end());
    }
    return out;
  }

  std::size_t room = 1000;
  std::function<void()> onChunk;
  std::function<void()> onLog;
  std::vector<model::SampleChunk> chunks;
  std::vector<std::string> progresses;
  std::string logs;
};

class JobRunnerTest : public ::testing::Test {
 protected:
  JobRunnerTest() {
    EXPECT_TRUE(platform::adoptOrphans());
    options_.program = std::string(std::getenv("FLEETMARK_BIN")) + "/fleetmark-agent";
    options_.tick = milliseconds(20);
    options_.grace = milliseconds(400);
    options_.chunkSamples = 1;
  }

  model::Completion run(const std::string& params) {
    auto assignment = makeAssignment();
    assignment.paramsJson = params;
    return run(assignment);
  }
  model::Completion run(const model::Assignment& assignment) {
    return JobRunner(options_, clock_).run(assignment, sink_, control_);
  }
  // A program of the test's own in place of the agent.
  void useScript(const std::string& text) {
    std::string path = folder_.path() + "/probe";
    std::ofstream(path) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    options_.program = path;
  }
  std::string read(const std::string& name) {
    auto text = platform::readFile(folder_.path() + "/" + name, 1000);
    return text ? *text : "";
  }
  static bool alive(const std::string& pid) { return ::kill(std::stoi(pid), 0) == 0; }

  tests::TemporaryFolder folder_;
  tests::ManualClock clock_;
  RunnerOptions options_;
  MemorySink sink_;
  RunControl control_{clock_.mono() + seconds(27)};
};

TEST_F(JobRunnerTest, MeasuresAndKeepsEveryValue) {
  int reads = 0;
  options_.environmentJson = [&reads] { return "{\"read\":" + std::to_string(++reads) + "}"; };
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kMeasured) << completion.message;
  EXPECT_EQ(completion.message, "");
  EXPECT_EQ(completion.chunkCount, 4u);
  EXPECT_THAT(completion.notices, IsEmpty());
  EXPECT_EQ(completion.environmentBeforeJson, "{\"read\":1}");
  EXPECT_EQ(completion.environmentAfterJson, "{\"read\":2}");
  auto samples = sink_.samples();
  ASSERT_EQ(samples.size(), 4u);
  // printf 1/3 | sha256sum | head -c 8
  EXPECT_EQ(samples[3].value, static_cast<double>(0x0d7f0e33u));
  EXPECT_EQ(samples[3].index, 3u);
}

TEST_F(JobRunnerTest, GathersSamplesIntoChunks) {
  options_.chunkSamples = 500;
  auto completion = run(selftestParams(1201, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kMeasured) << completion.message;
  ASSERT_EQ(sink_.chunks.size(), 3u);
  EXPECT_EQ(sink_.chunks[0].samples.size(), 500u);
  EXPECT_EQ(sink_.chunks[2].samples.size(), 201u);
  EXPECT_EQ(sink_.chunks[2].number, 2u);
}

TEST_F(JobRunnerTest, AFailureOfTheProbeIsAMeasurementWithItsMessage) {
  auto completion = run(selftestParams(4, "fail"));
  EXPECT_EQ(completion.outcome, Outcome::kMeasurement);
  EXPECT_THAT(completion.message, HasSubstr("selftest was asked to fail"));
  EXPECT_EQ(sink_.samples().size(), 2u);
  EXPECT_EQ(completion.chunkCount, 2u);
}

TEST_F(JobRunnerTest, ACrashIsInfrastructureAndNamesTheSignal) {
  auto completion = run(selftestParams(4, "crash"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("ended without a result"));
  EXPECT_THAT(completion.message, HasSubstr("signal 6"));
  EXPECT_EQ(sink_.samples().size(), 2u);
}

TEST_F(JobRunnerTest, AnExitWithoutAWordIsInfrastructureAndNamesTheCode) {
  auto completion = run(selftestParams(4, "exit"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("exit code 3"));
}

TEST_F(JobRunnerTest, GarbageOnThePipeIsInfrastructureAndKeepsWhatCameBefore) {
  auto completion = run(selftestParams(4, "garbage"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("wrote what it may not"));
  EXPECT_EQ(sink_.samples().size(), 2u);
}

TEST_F(JobRunnerTest, AnOrphanIsKilledAndNamedAndTheResultStands) {
  auto completion = run(selftestParams(4, "orphan"));
  EXPECT_EQ(completion.outcome, Outcome::kMeasured) << completion.message;
  ASSERT_EQ(completion.notices.size(), 1u) << messagesOf(completion);
  EXPECT_THAT(completion.notices[0].message, HasSubstr("left processes of its own behind"));
  EXPECT_EQ(sink_.samples().size(), 4u);
}

TEST_F(JobRunnerTest, AProcessThatLeftGroupSessionAndParentIsKilledAndNamed) {
  auto completion = run(selftestParams(4, "escape"));
  EXPECT_EQ(completion.outcome, Outcome::kMeasured) << completion.message;
  ASSERT_EQ(completion.notices.size(), 1u) << messagesOf(completion);
  EXPECT_THAT(completion.notices[0].message, HasSubstr("left processes of its own behind ("));
  EXPECT_THAT(completion.notices[0].message, HasSubstr(" sleep)"));
  EXPECT_THAT(completion.notices[0].message, HasSubstr("as adopted orphans"));
  EXPECT_THAT(platform::descendants(), IsEmpty());
}

TEST_F(JobRunnerTest, ACancelReachesWhatLeftTheGroupToo) {
  useScript("read -r request; setsid sleep 1000 & echo $! > " + folder_.path() +
            "/pid; echo ready >&2; exec sleep 1000\n");
  sink_.onLog = [&] { control_.stop(StopReason::kCancelled); };
  EXPECT_EQ(run(selftestParams(4, "none")).outcome, Outcome::kCancelled);
  EXPECT_FALSE(alive(read("pid")));
}

TEST_F(JobRunnerTest, TheChildIsToldOfEachRenewal) {
  useScript(
      "read -r request; read -r first; echo \"$first\" >&2; read -r second; echo \"$second\" "
      ">&2\n");
  sink_.onLog = [&] {
    if (sink_.logs.find('\n') == sink_.logs.size() - 1) {
      control_.extendLease(clock_.mono() + seconds(54));
    }
  };
  run(selftestParams(4, "none"));
  // The lease of the fixture, then the renewed one.
  EXPECT_THAT(sink_.logs,
              ::testing::MatchesRegex("lease [0-9]+ 27000000000\nlease [0-9]+ 54000000000\n"));
}

TEST_F(JobRunnerTest, AHangIsOverItsTimeLimit) {
  auto assignment = makeAssignment();
  assignment.paramsJson = selftestParams(4, "hang");
  assignment.timeLimit = seconds(10);
  sink_.onChunk = [&] {
    if (sink_.chunks.size() == 2) clock_.advance(seconds(10));
  };
  auto completion = run(assignment);
  EXPECT_EQ(completion.outcome, Outcome::kMeasurement);
  EXPECT_THAT(completion.message, HasSubstr("over its time limit of 10s"));
  EXPECT_EQ(completion.chunkCount, 2u);
}

TEST_F(JobRunnerTest, RightBeforeItsTimeLimitAProbeIsLeftAlone) {
  auto assignment = makeAssignment();
  assignment.timeLimit = seconds(10);
  sink_.onChunk = [&] {
    if (sink_.chunks.size() == 2) clock_.advance(seconds(10) - base::Nanos(1));
  };
  EXPECT_EQ(run(assignment).outcome, Outcome::kMeasured);
}

TEST_F(JobRunnerTest, AHangShowsNoProgress) {
  auto assignment = makeAssignment();
  assignment.paramsJson = selftestParams(4, "hang");
  assignment.noProgressLimit = seconds(5);
  assignment.timeLimit = base::Nanos(0);
  control_.extendLease(base::MonoTime::max());
  sink_.onChunk = [&] { clock_.advance(seconds(3)); };  // after 2 samples: 3 s since the last
  std::jthread later([&](std::stop_token stop) {
    while (!stop.stop_requested()) {
      clock_.advance(milliseconds(1));
      std::this_thread::yield();
    }
  });
  auto completion = run(assignment);
  EXPECT_EQ(completion.outcome, Outcome::kMeasurement);
  EXPECT_THAT(completion.message, HasSubstr("no progress for 5s"));
}

TEST_F(JobRunnerTest, IgnoringTheRequestToEndEndsInAKill) {
  useScript("trap '' TERM; read -r request; echo ready >&2; sleep 1000\n");
  sink_.onLog = [&] { control_.stop(StopReason::kCancelled); };
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kCancelled);
  ASSERT_EQ(completion.notices.size(), 1u);
  EXPECT_THAT(completion.notices[0].message, HasSubstr("was killed"));
}

TEST_F(JobRunnerTest, ACancelFromAnotherThreadEndsTheTree) {
  sink_.onChunk = [&] {
    if (sink_.chunks.size() == 2) control_.stop(StopReason::kCancelled);
  };
  auto completion = run(selftestParams(4, "hang"));
  EXPECT_EQ(completion.outcome, Outcome::kCancelled);
  EXPECT_EQ(completion.chunkCount, 2u);
}

TEST_F(JobRunnerTest, AnExpiredLeaseEndsTheRunByTheAgentsOwnClock) {
  sink_.onChunk = [&] {
    if (sink_.chunks.size() == 2) clock_.advance(seconds(27));
  };
  auto completion = run(selftestParams(4, "hang"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("lease could not be renewed"));
  EXPECT_EQ(control_.reason(), StopReason::kLeaseExpired);
}

TEST_F(JobRunnerTest, AStopBeforeTheStartStartsNothing) {
  control_.stop(StopReason::kAgentStopping);
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("agent was stopped"));
  EXPECT_THAT(sink_.chunks, IsEmpty());
}

TEST_F(JobRunnerTest, NoSpaceForSamplesEndsTheRun) {
  sink_.room = 1;
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("the test's disk is full"));
  EXPECT_EQ(completion.chunkCount, 1u);
}

TEST_F(JobRunnerTest, TooManySamplesAreAMeasurementFailure) {
  options_.maxSamples = 3;
  auto completion = run(selftestParams(1000, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kMeasurement);
  EXPECT_THAT(completion.message, HasSubstr("more than 3 samples"));
}

TEST_F(JobRunnerTest, RefusesAProbeOrVersionThatItLacks) {
  auto assignment = makeAssignment();
  assignment.probe = "teleport";
  EXPECT_THAT(run(assignment).message, HasSubstr("no probe 'teleport'"));
  assignment = makeAssignment();
  assignment.protocol = 99;
  EXPECT_THAT(run(assignment).message, HasSubstr("the campaign asks for 99"));
  assignment = makeAssignment();
  assignment.paramsJson = "{}";
  EXPECT_THAT(run(assignment).message, HasSubstr("'samples'"));
  EXPECT_EQ(run(assignment).outcome, Outcome::kInfrastructure);
}

TEST_F(JobRunnerTest, AMissingProgramIsInfrastructure) {
  options_.program = folder_.path() + "/absent";
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("absent"));
}

TEST_F(JobRunnerTest, TheRequestStandsOnStandardInputAndNotInTheArguments) {
  useScript("read -r request; echo \"$request\" > " + folder_.path() + "/stdin; echo \"$@\" > " +
            folder_.path() + "/args\n");
  auto assignment = makeAssignment();
  assignment.placementJson = R"({"path":"/secret/place"})";
  run(assignment);
  EXPECT_EQ(read("args"), "probe selftest --pipe\n");
  EXPECT_THAT(read("stdin"), HasSubstr("/secret/place"));
}

TEST_F(JobRunnerTest, StandardErrorIsLoggedAndItsLastLinesStandInTheMessage) {
  useScript("read -r request; echo first >&2; printf 'the \\033[31mlast' >&2; exit 4\n");
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("exit code 4"));
  EXPECT_THAT(completion.message, HasSubstr("first | the ?[31mlast"));
  EXPECT_EQ(sink_.logs, "first\nthe ?[31mlast\n");
}

TEST_F(JobRunnerTest, AFloodOnStandardErrorHoldsNothingUp) {
  useScript("read -r request; yes flood >&2; exit 0\n");
  options_.maxLogBytes = 1000;
  control_.extendLease(base::MonoTime::max());
  std::jthread later([&](std::stop_token stop) {
    while (!stop.stop_requested()) {
      clock_.advance(milliseconds(1));
      std::this_thread::yield();
    }
  });
  auto assignment = makeAssignment();
  assignment.timeLimit = seconds(5);
  auto completion = run(assignment);
  EXPECT_EQ(completion.outcome, Outcome::kMeasurement) << completion.message;
  EXPECT_LT(sink_.logs.size(), 1200u);
}

TEST_F(JobRunnerTest, AChildThatClosesItsPipeAndStaysIsEnded) {
  useScript("echo $$ > " + folder_.path() + "/pid; read -r request; exec >&-; exec sleep 1000\n");
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("ended without a result"));
  EXPECT_FALSE(alive(read("pid")));
}

TEST_F(JobRunnerTest, GrandchildrenThatHoldThePipeAreKilledToo) {
  useScript("read -r request; sleep 1000 & echo $! > " + folder_.path() + "/pid; exit 5\n");
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("exit code 5"));
  ASSERT_EQ(completion.notices.size(), 1u) << messagesOf(completion);
  EXPECT_THAT(completion.notices[0].message, HasSubstr("left processes of its own behind"));
}

TEST_F(JobRunnerTest, AnEventOverTheLimitIsRefused) {
  // A segment table that promises 1 segment of 2^31 words.
  useScript(
      "read -r request; printf '\\000\\000\\000\\000\\000\\000\\000\\200'; exec sleep 1000\n");
  auto completion = run(selftestParams(4, "none"));
  EXPECT_EQ(completion.outcome, Outcome::kInfrastructure);
  EXPECT_THAT(completion.message, HasSubstr("wrote what it may not"));
}

}  // namespace
}  // namespace fleetmark::agent::core
