#include "coordinator/domain/matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fleetmark::coordinator::domain {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

constexpr auto kNothing = std::nullopt;

Offer offer(std::int64_t step, std::int64_t runner = 1, const std::string& capability = "cpu/1") {
  return {step, runner, capability, Suits::kAll, {}};
}
Offer offerTo(std::int64_t step, std::vector<std::size_t> takers) {
  return {step, 1, "cpu/1", Suits::kNamed, std::move(takers)};
}
OfferTaker taker(const std::string& machine, std::vector<std::int64_t> runners = {1},
                 std::vector<std::string> capabilities = {"cpu/1"}) {
  return {machine, std::move(runners), std::move(capabilities)};
}

TEST(Matching, EachTakesTheFirstThatIsLeft) {
  std::vector takers{taker("a"), taker("b"), taker("c")};
  std::vector offers{offer(10), offer(11)};
  EXPECT_THAT(match(takers, offers), ElementsAre(Optional(0), Optional(1), kNothing));
}

TEST(Matching, RunnerAndCapabilityMustBeThere) {
  std::vector takers{taker("a", {2}), taker("b", {1}, {"disk/1"}), taker("c", {1, 2})};
  std::vector offers{offer(10, 1), offer(11, 2), offer(12, 1, "disk/1")};
  EXPECT_THAT(match(takers, offers), ElementsAre(Optional(1), Optional(2), Optional(0)));
}

TEST(Matching, WhatTheOthersCannotDoIsLeftForWhoCan) {
  std::vector takers{taker("a"), taker("b"), taker("c")};
  std::vector offers{offerTo(10, {2}), offerTo(11, {0, 2}), offer(12)};
  EXPECT_THAT(match(takers, offers), ElementsAre(Optional(1), Optional(2), Optional(0)));
}

TEST(Matching, OneOfAMachinesAgentsGetsWork) {
  std::vector takers{taker("shared", {7}), taker("shared"), taker("shared"), taker("own")};
  std::vector offers{offer(10), offer(11), offer(12)};
  EXPECT_THAT(match(takers, offers), ElementsAre(kNothing, Optional(0), kNothing, Optional(1)));
}

TEST(Matching, NobodyAndNothingAreFine) {
  EXPECT_TRUE(match({}, std::vector{offer(10)}).empty());
  EXPECT_THAT(match(std::vector{taker("a")}, {}), ElementsAre(kNothing));
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
