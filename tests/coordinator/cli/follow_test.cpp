#include <gtest/gtest.h>

#include <algorithm>

#include "coordinator/cli/watch_view.h"
#include "tests/support/manual_clock.h"

namespace fleetmark::coordinator::cli {
namespace {

using domain::CampaignState;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStdout;

base::Error unused() { return base::internal("not used by these tests"); }

// A coordinator with a log of events and a clock that its calls move on.
class ScriptedPort final : public ports::OperatorPort {
 public:
  explicit ScriptedPort(tests::ManualClock& clock) : clock_(clock) {}

  std::vector<ports::CampaignEvent> log;
  std::size_t told = 0;     // how much of the log there is by now
  std::size_t perCall = 1;  // how much is added before each call
  std::vector<int> failAt;  // calls for events that break
  bool failOften = false;   // every other one does
  base::Nanos cost{0};      // of a look at all steps
  int looks = 0;
  int listens = 0;

  base::Result<std::vector<ports::CampaignEvent>> watch(base::CampaignId, const std::string& cursor,
                                                        base::Nanos wait) override {
    ++listens;
    told = std::min(log.size(), told + perCall);
    if ((failOften && listens % 2 == 0) ||
        std::find(failAt.begin(), failAt.end(), listens) != failAt.end()) {
      clock_.advance(std::max<base::Nanos>(wait, milliseconds(100)));
      return base::unavailable("the connection broke");
    }
    std::size_t from = cursor.empty() ? 0 : std::stoul(cursor) + 1;
    std::vector<ports::CampaignEvent> out;
    for (std::size_t i = from; i < told; ++i) out.push_back(log[i]);
    clock_.advance(out.empty() ? wait : base::Nanos(milliseconds(1)));
    return out;
  }
  base::Result<ports::CampaignStatus> status(const std::string&) override {
    ++looks;
    clock_.advance(cost);
    ports::CampaignStatus out;
    out.summary.state = told == log.size() ? CampaignState::kDone : CampaignState::kRunning;
    return out;
  }

  base::Result<base::CampaignId> submit(const ports::SubmitOptions&) override { return unused(); }
  base::Result<std::vector<ports::CampaignSummary>> list(std::uint32_t) override {
    return unused();
  }
  base::Result<CampaignState> cancel(const std::string&) override { return unused(); }
  base::Result<CampaignState> pause(const std::string&) override { return unused(); }
  base::Result<CampaignState> resume(const std::string&) override { return unused(); }
  base::Result<ports::JobReasons> why(const std::string&) override { return unused(); }
  base::Result<std::vector<ports::AgentView>> agents() override { return unused(); }
  base::Result<ports::AgentView> setAgent(const std::string&, ports::AgentWish) override {
    return unused();
  }
  base::Result<ports::RenderedReport> report(const std::string&, ports::ReportFormat) override {
    return unused();
  }
  base::Result<ports::Table> sql(const std::string&, std::uint32_t) override { return unused(); }
  base::Result<ports::Enrolment> enroll(ports::Role, const std::string&,
                                        const std::string&) override {
    return unused();
  }

 private:
  tests::ManualClock& clock_;
};

class Follow : public ::testing::Test {
 protected:
  Follow() : port_(clock_) {}

  // `steps` claims and ends, then the campaign's end.
  void script(std::size_t count, const std::string& kind) {
    for (std::size_t i = 0; i < count; ++i) add(kind, "{}");
    add("campaign.state", R"({"state": "done"})");
  }
  void add(const std::string& kind, const std::string& data) {
    ports::CampaignEvent event;
    event.cursor = std::to_string(port_.log.size());
    event.kind = kind;
    event.dataJson = data;
    port_.log.push_back(event);
  }
  // The cursors that were printed, one after the other.
  std::string follow(WatchStyle style) {
    WatchView view(style, {});
    Watcher watcher{port_, clock_, view, [] { return false; }, [](base::Nanos) {}};
    CaptureStdout();
    auto last = followCampaign(watcher, base::CampaignId{1});
    auto printed = GetCapturedStdout();
    EXPECT_TRUE(last) << last.error().message;
    std::string out;
    const std::string key = R"("cursor":")";
    for (auto at = printed.find(key); at != std::string::npos; at = printed.find(key, at + 1)) {
      auto begin = at + key.size();
      out += printed.substr(begin, printed.find('"', begin) - begin) + " ";
    }
    return out;
  }

  tests::ManualClock clock_;
  ScriptedPort port_;
};

TEST_F(Follow, EachEventIsToldOnceHoweverOftenTheConnectionBreaks) {
  script(6, "step.ended");
  port_.failOften = true;
  EXPECT_EQ(follow(WatchStyle::kJson), "0 1 2 3 4 5 6 ");
}

TEST_F(Follow, JsonAsksForAllStepsOnceAtTheBeginningAndOnceAtTheEnd) {
  script(1'000, "step.ended");
  follow(WatchStyle::kJson);
  EXPECT_EQ(port_.looks, 2);
}

TEST_F(Follow, SamplesAloneAreNoReasonToPrintALine) {
  script(5'000, "step.samples");
  follow(WatchStyle::kLines);
  EXPECT_EQ(port_.looks, 2);
}

TEST_F(Follow, ADearLookIsTakenSeldom) {
  script(20'000, "step.ended");  // 20 s of events
  port_.cost = seconds(1);
  follow(WatchStyle::kLines);
  EXPECT_LE(port_.looks, 5);
  EXPECT_GE(port_.looks, 3);
}

TEST_F(Follow, EventsThatComeAfterTheStateAreNotMissed) {
  script(3, "step.ended");
  port_.perCall = 4;
  port_.failAt = {1, 2};
  EXPECT_EQ(follow(WatchStyle::kJson), "0 1 2 3 ");
}

TEST_F(Follow, StopsWhenAskedTo) {
  WatchView view(WatchStyle::kQuiet, {});
  Watcher watcher{port_, clock_, view, [] { return true; }, [](base::Nanos) {}};
  auto stopped = followCampaign(watcher, base::CampaignId{1});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, base::ErrorCode::kConflict);
}

TEST_F(Follow, GivesUpAfterTenMinutesWithoutACoordinator) {
  script(1, "step.ended");
  for (int call = 1; call < 100'000; ++call) port_.failAt.push_back(call);
  WatchView view(WatchStyle::kQuiet, {});
  Watcher watcher{port_, clock_, view, [] { return false; }, [](base::Nanos) {}};
  auto begin = clock_.mono();
  auto last = followCampaign(watcher, base::CampaignId{1});
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, base::ErrorCode::kUnavailable);
  EXPECT_GE(clock_.mono() - begin, std::chrono::minutes(10));
}

}  // namespace
}  // namespace fleetmark::coordinator::cli
