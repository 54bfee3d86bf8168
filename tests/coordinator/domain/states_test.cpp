#include "coordinator/domain/states.h"

#include "coordinator/domain/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fleetmark::coordinator::domain {
namespace {

using testing::ElementsAre;

template <typename E>
std::vector<std::string> wordsOf(const std::vector<E>& all) {
  std::vector<std::string> out;
  for (E each : all) out.emplace_back(toString(each));
  return out;
}

TEST(States, HaveTheWordsOfTheDatabase) {
  EXPECT_THAT(wordsOf(allCampaignStates()),
              ElementsAre("queued", "running", "cancelling", "done", "cancelled"));
  EXPECT_THAT(wordsOf(allJobStates()),
              ElementsAre("pending", "running", "done", "failed", "cancelled"));
  EXPECT_THAT(wordsOf(allStepStates()),
              ElementsAre("blocked", "ready", "leased", "measured", "failed", "lost", "cancelled"));
  EXPECT_THAT(wordsOf(allLeaseStates()),
              ElementsAre("active", "cancelling", "releasing", "completed", "expired"));
  EXPECT_THAT(wordsOf(allGroupStates()),
              ElementsAre("open", "gathering", "running", "releasing", "over"));
}

TEST(States, ParseTheirOwnWordsAndNoOthers) {
  for (auto state : allCampaignStates()) EXPECT_EQ(parseCampaignState(toString(state)), state);
  for (auto state : allJobStates()) EXPECT_EQ(parseJobState(toString(state)), state);
  for (auto state : allStepStates()) EXPECT_EQ(parseStepState(toString(state)), state);
  for (auto state : allLeaseStates()) EXPECT_EQ(parseLeaseState(toString(state)), state);
  for (auto state : allGroupStates()) EXPECT_EQ(parseGroupState(toString(state)), state);
  EXPECT_EQ(parseStepState("Leased"), std::nullopt);
  EXPECT_EQ(parseStepState(""), std::nullopt);
  EXPECT_EQ(parseCampaignState("failed"), std::nullopt);
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
