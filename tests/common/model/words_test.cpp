#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/model/campaign.h"
#include "common/model/sample.h"
#include "common/model/work.h"

namespace fleetmark::model {
namespace {

template <typename E, typename Parse>
void expectRoundTrip(const std::vector<E>& all, Parse parse) {
  std::set<std::string_view> seen;
  for (E each : all) {
    EXPECT_EQ(parse(toString(each)), each);
    EXPECT_TRUE(seen.insert(toString(each)).second) << toString(each);
  }
  EXPECT_EQ(parse(""), std::nullopt);
  EXPECT_EQ(parse("nonsense"), std::nullopt);
}

TEST(Words, GoBothWays) {
  expectRoundTrip(allBetter(), parseBetter);
  expectRoundTrip(allUnits(), parseUnit);
  expectRoundTrip(allVerdicts(), parseVerdict);
  expectRoundTrip(allOutcomes(), parseOutcome);
  expectRoundTrip(allHostRelations(), parseHostRelation);
  expectRoundTrip(
      std::vector<Order>{Order::kDeclared, Order::kInterleave, Order::kAbba, Order::kRandom},
      parseOrder);
}

TEST(Words, StandInTheDatabaseAndMustNotChange) {
  EXPECT_EQ(toString(Verdict::kTimedOut), "timed_out");
  EXPECT_EQ(toString(Unit::kOperationsPerSecond), "operations_per_second");
  EXPECT_EQ(toString(Unit::kBitsPerSecond), "bits_per_second");
  EXPECT_EQ(toString(Outcome::kInfrastructure), "infrastructure");
  EXPECT_EQ(toString(Better::kLower), "lower");
  EXPECT_EQ(toString(HostRelation::kFresh), "fresh");
  EXPECT_EQ(toString(IngestAnswer::kMissing), "missing");
  EXPECT_EQ(toString(RenewAnswer::kCancel), "cancel");
}

}  // namespace
}  // namespace fleetmark::model
