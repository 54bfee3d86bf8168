#include "agent/core/step_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/agent/core/fake_coordinator.h"
#include "tests/agent/core/work_values.h"
#include "tests/support/manual_clock.h"

namespace fleetmark::agent::core {
namespace {

using model::ArriveAnswer;
using model::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using testing::FakeCoordinator;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::makeAssignment;

// Each look takes 500 ms of the test's clock and sees what `runnable` says for that time.
class FakeHost final : public HostActivity {
 public:
  explicit FakeHost(tests::ManualClock& clock) : clock_(clock) {}
  ActivityReading read() override {
    ++looks;
    if (onLook) onLook();
    clock_.advance(milliseconds(500));
    ActivityReading out;
    if (!blind) {
      out.cpus = 4;
      out.runnable = looks > busyLooks ? 0 : 4;
    }
    return out;
  }
  int looks = 0;
  int busyLooks = 0;
  bool blind = false;
  std::function<void()> onLook;

 private:
  tests::ManualClock& clock_;
};

class QuietSink final : public RunSink {
 public:
  base::Status chunk(const model::SampleChunk&) override { return {}; }
  void progress(const std::string& text) override { said.push_back(text); }
  void log(const std::string&) override {}
  std::vector<std::string> said;
};

class StepStartTest : public ::testing::Test {
 protected:
  StepReadiness make(const model::Assignment& assignment) {
    options_.activity = &host_;
    options_.slice = options_.retryInitial = options_.retryMost = milliseconds(1);
    return StepStart(coordinator_, clock_, options_).make(assignment, sink_, control_);
  }
  static model::Assignment quietStep(base::Nanos wait, model::QuietOtherwise otherwise) {
    auto assignment = makeAssignment();
    assignment.quiet = model::QuietSpec{0.3, wait, otherwise};
    return assignment;
  }
  static model::Assignment groupStep() {
    auto assignment = makeAssignment();
    assignment.group = "pair";
    return assignment;
  }
  void answers(std::deque<base::Result<ArriveAnswer>> all) {
    coordinator_.script([&](auto& script) { script.arrivals = std::move(all); });
  }

  tests::ManualClock clock_;
  FakeHost host_{clock_};
  FakeCoordinator coordinator_;
  QuietSink sink_;
  StepStartOptions options_;
  RunControl control_{clock_.mono() + seconds(27)};
};

TEST_F(StepStartTest, WithoutAWishNothingIsLookedAt) {
  auto ready = make(makeAssignment());
  EXPECT_FALSE(ready.ended);
  EXPECT_EQ(ready.quietJson, "");
  EXPECT_EQ(host_.looks, 0);
  EXPECT_EQ(coordinator_.arrivals, 0);
}

TEST_F(StepStartTest, AQuietHostIsLookedAtForOneWindow) {
  auto ready = make(quietStep(seconds(10), model::QuietOtherwise::kFail));
  EXPECT_FALSE(ready.ended);
  EXPECT_THAT(ready.notices, IsEmpty());
  EXPECT_THAT(sink_.said, IsEmpty());
  auto json = nlohmann::json::parse(ready.quietJson);
  EXPECT_EQ(json["quiet"], true);
  EXPECT_EQ(json["load_per_cpu"], 0.0);
}

TEST_F(StepStartTest, WaitsUntilTheLoadIsGoneAndSaysSo) {
  host_.busyLooks = 5;
  auto ready = make(quietStep(seconds(20), model::QuietOtherwise::kFail));
  EXPECT_FALSE(ready.ended);
  EXPECT_EQ(nlohmann::json::parse(ready.quietJson)["quiet"], true);
  EXPECT_GE(nlohmann::json::parse(ready.quietJson)["waited_ns"], 2'000'000'000);
  EXPECT_EQ(sink_.said.at(0), "waiting for a quiet host: load 1.00 per CPU, limit 0.30");
}

TEST_F(StepStartTest, MarkGoesOnWithANotice) {
  host_.busyLooks = 1000;
  auto ready = make(quietStep(seconds(5), model::QuietOtherwise::kMark));
  EXPECT_FALSE(ready.ended);
  ASSERT_EQ(ready.notices.size(), 1u);
  EXPECT_EQ(ready.notices[0].stage, "agent/quiet");
  EXPECT_THAT(ready.notices[0].message, HasSubstr("load 1.00 per CPU, limit 0.30"));
  EXPECT_EQ(nlohmann::json::parse(ready.quietJson)["quiet"], false);
}

TEST_F(StepStartTest, FailEndsTheStepAsAMeasurement) {
  host_.busyLooks = 1000;
  auto ready = make(quietStep(seconds(5), model::QuietOtherwise::kFail));
  ASSERT_TRUE(ready.ended);
  EXPECT_EQ(ready.ended->outcome, Outcome::kMeasurement);
  EXPECT_THAT(ready.ended->message, HasSubstr("not quiet"));
  EXPECT_THAT(ready.ended->message, HasSubstr("nothing was started"));
  EXPECT_NE(ready.quietJson, "");
}

TEST_F(StepStartTest, AHostThatSaysNothingIsNotWaitedFor) {
  host_.blind = true;
  auto ready = make(quietStep(std::chrono::hours(1), model::QuietOtherwise::kMark));
  EXPECT_FALSE(ready.ended);
  EXPECT_LE(host_.looks, 3);
  EXPECT_THAT(ready.notices.at(0).message, HasSubstr("can't be told"));
}

TEST_F(StepStartTest, LeftoversAreNotQuiet) {
  options_.leftovers = [] { return std::vector<std::string>{"4711 (fio)"}; };
  auto ready = make(quietStep(base::Nanos(0), model::QuietOtherwise::kFail));
  ASSERT_TRUE(ready.ended);
  EXPECT_THAT(ready.ended->message, HasSubstr("process 4711 (fio) of an earlier probe is left"));
}

TEST_F(StepStartTest, ACancelEndsTheWaitAtOnce) {
  host_.busyLooks = 1000;
  host_.onLook = [this] {
    if (host_.looks == 2) control_.stop(StopReason::kCancelled);
  };
  auto ready = make(quietStep(std::chrono::hours(1), model::QuietOtherwise::kMark));
  ASSERT_TRUE(ready.ended);
  EXPECT_EQ(ready.ended->outcome, Outcome::kCancelled);
  EXPECT_EQ(ready.ended->message, "cancelled before the probe was started");
  EXPECT_EQ(host_.looks, 2);
}

TEST_F(StepStartTest, ALeaseThatRunsOutWhileWaitingEndsTheStep) {
  host_.busyLooks = 1000;
  auto ready = make(quietStep(std::chrono::hours(1), model::QuietOtherwise::kMark));
  ASSERT_TRUE(ready.ended);
  EXPECT_EQ(ready.ended->outcome, Outcome::kInfrastructure);
  EXPECT_EQ(control_.reason(), StopReason::kLeaseExpired);
}

TEST_F(StepStartTest, AsksUntilTheGroupBegins) {
  answers(
      {ArriveAnswer::kWait, base::unavailable("lost"), ArriveAnswer::kWait, ArriveAnswer::kBegin});
  auto ready = make(groupStep());
  EXPECT_FALSE(ready.ended);
  EXPECT_EQ(coordinator_.arrivals, 4);
  EXPECT_THAT(sink_.said, Contains("waiting for the other members of group 'pair'"));
}

TEST_F(StepStartTest, TheGroupIsAskedOnlyOnAQuietHost) {
  host_.busyLooks = 1000;
  auto assignment = quietStep(base::Nanos(0), model::QuietOtherwise::kFail);
  assignment.group = "pair";
  EXPECT_TRUE(make(assignment).ended);
  EXPECT_EQ(coordinator_.arrivals, 0);
}

TEST_F(StepStartTest, AReleasedGroupIsInfrastructure) {
  answers({ArriveAnswer::kWait, ArriveAnswer::kReleased});
  auto ready = make(groupStep());
  ASSERT_TRUE(ready.ended);
  EXPECT_EQ(ready.ended->outcome, Outcome::kInfrastructure);
  EXPECT_THAT(ready.ended->message, HasSubstr("did not come in time"));
}

TEST_F(StepStartTest, ALostLeaseEndsTheWaitForTheGroup) {
  answers({ArriveAnswer::kLost});
  auto ready = make(groupStep());
  ASSERT_TRUE(ready.ended);
  EXPECT_EQ(control_.reason(), StopReason::kLeaseLost);
  EXPECT_THAT(ready.ended->message, HasSubstr("took the lease back"));
}

TEST_F(StepStartTest, ARefusalForGoodEndsTheWaitForTheGroup) {
  answers({base::invalid("this step belongs to no group")});
  auto ready = make(groupStep());
  ASSERT_TRUE(ready.ended);
  EXPECT_EQ(ready.ended->outcome, Outcome::kInfrastructure);
  EXPECT_THAT(ready.ended->message, HasSubstr("belongs to no group"));
}

TEST_F(StepStartTest, AStopEndsTheWaitForTheGroup) {
  answers({ArriveAnswer::kWait});
  std::jthread stopper([this] {
    EXPECT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.arrivals >= 3; }));
    control_.stop(StopReason::kAgentStopping);
  });
  auto ready = make(groupStep());
  ASSERT_TRUE(ready.ended);
  EXPECT_THAT(ready.ended->message, HasSubstr("agent was stopped before"));
}

TEST_F(StepStartTest, AnUnreachableCoordinatorIsAskedWhileTheLeaseIsGood) {
  answers({base::unavailable("no route")});
  std::jthread clock([this] {
    EXPECT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.arrivals >= 3; }));
    clock_.advance(seconds(27));
  });
  auto ready = make(groupStep());
  ASSERT_TRUE(ready.ended);
  EXPECT_EQ(control_.reason(), StopReason::kLeaseExpired);
}

}  // namespace
}  // namespace fleetmark::agent::core
