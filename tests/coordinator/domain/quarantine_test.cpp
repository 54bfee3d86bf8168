#include "coordinator/domain/quarantine.h"

#include <gtest/gtest.h>

namespace fleetmark::coordinator::domain {
namespace {

using model::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int32_t kLimit = 3;

TEST(Quarantine, OnlyFastInfrastructureFailuresCount) {
  struct Row {
    Outcome outcome;
    base::Nanos lasted;
    std::int32_t before;
    AgentRecord after;
  };
  const Row rows[] = {
      {Outcome::kInfrastructure, seconds(0), 0, {1, Trust::kTrusted}},
      {Outcome::kInfrastructure, seconds(10), 1, {2, Trust::kTrusted}},
      {Outcome::kInfrastructure, seconds(10), 2, {3, Trust::kQuarantined}},
      {Outcome::kInfrastructure, milliseconds(10'001), 2, {0, Trust::kTrusted}},
      {Outcome::kMeasured, seconds(1), 2, {0, Trust::kTrusted}},
      {Outcome::kMeasurement, seconds(1), 2, {0, Trust::kTrusted}},
      {Outcome::kCancelled, seconds(1), 2, {0, Trust::kTrusted}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(model::toString(row.outcome)) + " after " +
                 base::formatDuration(row.lasted));
    EXPECT_EQ(afterAttempt({row.before, Trust::kTrusted}, row.outcome, row.lasted, kLimit),
              row.after);
  }
}

TEST(Quarantine, AnEndInBetweenBeginsTheCountAnew) {
  AgentRecord agent;
  for (auto outcome : {Outcome::kInfrastructure, Outcome::kInfrastructure, Outcome::kMeasured,
                       Outcome::kInfrastructure, Outcome::kInfrastructure}) {
    agent = afterAttempt(agent, outcome, seconds(1), kLimit);
  }
  EXPECT_EQ(agent, (AgentRecord{2, Trust::kTrusted}));
}

TEST(Quarantine, NoEndOfAnAttemptReleases) {
  AgentRecord agent{3, Trust::kQuarantined};
  EXPECT_EQ(afterAttempt(agent, Outcome::kMeasured, seconds(1), kLimit).trust, Trust::kQuarantined);
}

TEST(Quarantine, LimitZeroMeansNever) {
  AgentRecord agent;
  for (int i = 0; i < 100; ++i) {
    agent = afterAttempt(agent, Outcome::kInfrastructure, seconds(0), 0);
  }
  EXPECT_EQ(agent.trust, Trust::kTrusted);
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
