#include "coordinator/report/row_status.h"

#include <gtest/gtest.h>

namespace fleetmark::coordinator::report {
namespace {

using domain::StepState;

struct Case {
  const char* name;
  StepState state;
  SampleCounts counts;  // requested, attempted, completed, contended, unavailable
  RowStatus wanted;
};

TEST(MetricStatus, FollowsStateAndCounts) {
  const Case cases[] = {
      {"all valid", StepState::kMeasured, {5, 5, 5, 0, 0}, RowStatus::kComplete},
      {"one sample", StepState::kMeasured, {1, 1, 1, 0, 0}, RowStatus::kComplete},
      {"none asked", StepState::kMeasured, {0, 0, 0, 0, 0}, RowStatus::kComplete},
      {"one late", StepState::kMeasured, {5, 5, 4, 0, 0}, RowStatus::kIncomplete},
      {"one never came", StepState::kMeasured, {5, 4, 4, 0, 0}, RowStatus::kIncomplete},
      {"one contended", StepState::kMeasured, {5, 5, 4, 1, 0}, RowStatus::kContended},
      {"all contended", StepState::kMeasured, {5, 5, 0, 5, 0}, RowStatus::kContended},
      {"contended and late", StepState::kMeasured, {5, 5, 3, 1, 0}, RowStatus::kIncomplete},
      {"contended, cut short", StepState::kMeasured, {5, 2, 1, 1, 0}, RowStatus::kIncomplete},
      {"nothing there", StepState::kMeasured, {3, 3, 0, 0, 3}, RowStatus::kUnavailable},
      {"once not there", StepState::kMeasured, {3, 3, 2, 0, 1}, RowStatus::kIncomplete},
      {"nothing came", StepState::kMeasured, {5, 0, 0, 0, 0}, RowStatus::kIncomplete},
      {"unknown wish", StepState::kMeasured, {std::nullopt, 4, 4, 0, 0}, RowStatus::kComplete},
      {"unknown, nothing",
       StepState::kMeasured,
       {std::nullopt, 0, 0, 0, 0},
       RowStatus::kIncomplete},
      {"failed early", StepState::kFailed, {5, 0, 0, 0, 0}, RowStatus::kFailed},
      {"failed in between", StepState::kFailed, {5, 2, 2, 0, 0}, RowStatus::kFailed},
      {"failed, this one whole", StepState::kFailed, {5, 5, 5, 0, 0}, RowStatus::kComplete},
      {"failed, nothing there", StepState::kFailed, {5, 1, 0, 0, 1}, RowStatus::kUnavailable},
      {"failed, none asked", StepState::kFailed, {0, 0, 0, 0, 0}, RowStatus::kFailed},
      {"lost", StepState::kLost, {5, 5, 5, 0, 0}, RowStatus::kLost},
      {"cancelled", StepState::kCancelled, {5, 2, 2, 0, 0}, RowStatus::kCancelled},
      {"running", StepState::kLeased, {5, 2, 2, 0, 0}, RowStatus::kRunning},
      {"ready", StepState::kReady, {5, 0, 0, 0, 0}, RowStatus::kWaiting},
      {"blocked", StepState::kBlocked, {5, 0, 0, 0, 0}, RowStatus::kWaiting},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(toString(metricStatus(one.state, one.counts)), toString(one.wanted)) << one.name;
  }
}

TEST(StepStatus, IsNoBetterThanItsMetrics) {
  using S = RowStatus;
  auto status = [](StepState state, std::vector<RowStatus> metrics) {
    return toString(stepStatus(state, metrics));
  };
  EXPECT_EQ(status(StepState::kMeasured, {S::kComplete, S::kComplete}), "complete");
  EXPECT_EQ(status(StepState::kMeasured, {S::kComplete, S::kContended}), "contended");
  EXPECT_EQ(status(StepState::kMeasured, {S::kContended, S::kIncomplete}), "incomplete");
  EXPECT_EQ(status(StepState::kMeasured, {S::kComplete, S::kUnavailable}), "incomplete");
  EXPECT_EQ(status(StepState::kMeasured, {S::kUnavailable, S::kUnavailable}), "unavailable");
  EXPECT_EQ(status(StepState::kMeasured, {}), "incomplete");
  EXPECT_EQ(status(StepState::kFailed, {S::kComplete, S::kComplete}), "failed");
  EXPECT_EQ(status(StepState::kFailed, {}), "failed");
  EXPECT_EQ(status(StepState::kFailed, {S::kUnavailable}), "unavailable");
  EXPECT_EQ(status(StepState::kLost, {S::kLost}), "lost");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
