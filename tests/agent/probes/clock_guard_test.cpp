#include "agent/probes/clock_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/platform/platform.h"
#include "tests/agent/probes/fakes.h"

namespace fleetmark::agent::probes {
namespace {

using namespace std::chrono_literals;
using model::Verdict;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::KeepingSink;

// Clocks that a test moves, each by itself.
class ScriptedClocks final : public MachineClocks, public base::Clock {
 public:
  ClockReading read() override { return now; }
  base::MonoTime mono() const override { return now.mono; }
  base::WallTime wall() const override { return now.wall; }

  void pass(base::Nanos time) {
    now.mono += time;
    now.wall += time;
    if (now.boot) *now.boot += time;
  }
  void suspend(base::Nanos time) {
    now.wall += time;
    if (now.boot) *now.boot += time;
  }
  void setWall(base::Nanos by) { now.wall += by; }

  ClockReading now{base::MonoTime(50s), base::fromUnixNanos(1'796'054'400'000'000'000), 70s};
};

class ClockGuardTest : public ::testing::Test {
 protected:
  base::WallTime begin() { return clocks_.now.wall; }
  void end(base::WallTime began, Verdict verdict = Verdict::kOk) {
    model::Sample sample;
    sample.metric = "selftest_value";
    sample.startedAtNs = base::toUnixNanos(began);
    sample.value = 1.5;
    sample.verdict = verdict;
    guard_.sample(sample);
  }
  const model::Sample& last() { return sink_.samples.back(); }

  ScriptedClocks clocks_;
  KeepingSink sink_;
  ClockGuard guard_{sink_, clocks_};
};

TEST_F(ClockGuardTest, LeavesASampleAloneThatNothingHappenedTo) {
  auto began = begin();
  clocks_.pass(10s);
  end(began);
  EXPECT_EQ(last().verdict, Verdict::kOk);
  EXPECT_THAT(last().reasons, IsEmpty());
  EXPECT_EQ(last().value, 1.5);
}

TEST_F(ClockGuardTest, ASampleUnderWhichTheMachineWasSuspendedMeansNothing) {
  auto began = begin();
  clocks_.pass(2s);
  clocks_.suspend(3600s);
  clocks_.pass(1s);
  end(began);
  EXPECT_EQ(last().verdict, Verdict::kUnverified);
  EXPECT_THAT(last().reasons, ElementsAre("the machine was suspended for 1h during this sample"));
  EXPECT_EQ(last().value, 1.5) << "no sample is thrown away";
  auto next = begin();
  clocks_.pass(1s);
  end(next);
  EXPECT_EQ(last().verdict, Verdict::kOk);
}

TEST_F(ClockGuardTest, AllSamplesOfTheSamePassAreTouched) {
  auto began = begin();
  clocks_.pass(2s);
  clocks_.suspend(5s);
  clocks_.pass(2s);
  for (int i = 0; i < 3; ++i) {
    end(began);
    EXPECT_EQ(last().verdict, Verdict::kUnverified) << i;
    clocks_.pass(1ms);
  }
}

TEST_F(ClockGuardTest, ASampleThatBeganAfterwardsIsNotTouched) {
  clocks_.suspend(5s);
  guard_.progress("pass 2");
  clocks_.pass(1ms);
  auto began = begin();
  clocks_.pass(1s);
  end(began);
  EXPECT_EQ(last().verdict, Verdict::kOk);
  EXPECT_THAT(sink_.progresses, ElementsAre("pass 2"));
}

TEST_F(ClockGuardTest, NamesByHowMuchTheWallClockWasSet) {
  auto began = begin();
  clocks_.pass(2s);
  clocks_.setWall(-7200s);
  end(began);
  EXPECT_EQ(last().verdict, Verdict::kUnverified);
  EXPECT_THAT(last().reasons,
              ElementsAre("the machine's wall clock was set back by 2h during this sample"));
  end(began);  // of the same pass, and in the future by the new clock
  EXPECT_EQ(last().verdict, Verdict::kUnverified);
  clocks_.pass(1ms);
  auto next = begin();
  clocks_.pass(1s);
  clocks_.setWall(250ms);
  end(next);
  EXPECT_THAT(last().reasons,
              ElementsAre("the machine's wall clock was set forward by 250ms during this sample"));
}

TEST_F(ClockGuardTest, NamesASuspendAndASetClockTogether) {
  auto began = begin();
  clocks_.suspend(60s);
  clocks_.setWall(5s);
  end(began);
  EXPECT_THAT(last().reasons, ElementsAre("the machine was suspended for 1m and its wall clock "
                                          "was set forward by 5s during this sample"));
}

TEST_F(ClockGuardTest, SlewingAndJitterAreNothing) {
  auto began = begin();
  for (int i = 0; i < 100; ++i) {
    clocks_.pass(10s);
    clocks_.setWall(5ms);
    end(began);
  }
  EXPECT_EQ(last().verdict, Verdict::kOk);
}

TEST_F(ClockGuardTest, ABadVerdictStaysAndGetsTheReason) {
  auto began = begin();
  clocks_.suspend(60s);
  end(began, Verdict::kTimedOut);
  EXPECT_EQ(last().verdict, Verdict::kTimedOut);
  EXPECT_EQ(last().reasons.size(), 1U);
  end(began, Verdict::kContended);
  EXPECT_EQ(last().verdict, Verdict::kUnverified);
}

TEST_F(ClockGuardTest, WithoutABootClockASuspendLooksLikeASetClock) {
  ScriptedClocks clocks;
  clocks.now.boot.reset();
  KeepingSink sink;
  ClockGuard guard(sink, clocks);
  model::Sample sample;
  sample.startedAtNs = base::toUnixNanos(clocks.now.wall);
  clocks.suspend(60s);
  guard.sample(sample);
  EXPECT_THAT(sink.samples[0].reasons,
              ElementsAre("the machine's wall clock was set forward by 1m during this sample"));
}

TEST(ClockGuardProbe, AWallClockThatIsOffByHoursDisturbsNothing) {
  ScriptedClocks clocks;
  clocks.setWall(-std::chrono::hours(30));
  KeepingSink sink;
  ClockGuard guard(sink, clocks);
  testing::MixedPlatform platform;
  ASSERT_TRUE(testing::runProbe("selftest", {{"samples", "3"}, {"fault", "\"none\""}}, platform,
                                clocks, guard));
  ASSERT_EQ(sink.samples.size(), 3U);
  for (const auto& sample : sink.samples) {
    EXPECT_EQ(sample.verdict, Verdict::kOk);
    EXPECT_EQ(sample.startedAtNs, base::toUnixNanos(clocks.now.wall));
  }
}

TEST(LinuxClocks, AgreeWhileTheMachineIsAwake) {
  auto platform = makePlatform();
  auto first = platform->clocks().read();
  auto second = platform->clocks().read();
  ASSERT_TRUE(first.boot && second.boot);
  EXPECT_GE(second.mono, first.mono);
  EXPECT_GE(*second.boot, *first.boot);
  EXPECT_GE(*first.boot + 1ms, first.mono.time_since_epoch()) << "it counts the suspended time too";
}

}  // namespace
}  // namespace fleetmark::agent::probes
