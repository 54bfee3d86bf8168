#include "coordinator/domain/completion.h"

#include <gtest/gtest.h>

namespace fleetmark::coordinator::domain {
namespace {

using model::IngestAnswer;

StoredAttempt leased(std::int32_t stepEpoch, std::int32_t epoch) {
  return {AttemptKnown::kYes, StepState::kLeased, stepEpoch, epoch, {}};
}

TEST(DecideCompletion, AcceptsTheLeaseThatStands) {
  EXPECT_EQ(decideCompletion(leased(2, 2), "aa"), IngestAnswer::kOk);
}

TEST(DecideCompletion, FencesAnOlderEpoch) {
  EXPECT_EQ(decideCompletion(leased(2, 1), "aa"), IngestAnswer::kFenced);
}

TEST(DecideCompletion, KnowsNoEpochThatWasNeverGivenOut) {
  EXPECT_EQ(decideCompletion(leased(2, 3), "aa"), IngestAnswer::kUnknown);
  EXPECT_EQ(decideCompletion(leased(0, 0), "aa"), IngestAnswer::kUnknown);
  StoredAttempt stranger = leased(2, 2);
  stranger.known = AttemptKnown::kNo;
  EXPECT_EQ(decideCompletion(stranger, "aa"), IngestAnswer::kUnknown);
}

TEST(DecideCompletion, TheSameBodyTwiceIsADuplicateEvenAfterANewerClaim) {
  StoredAttempt stored = leased(1, 1);
  stored.step = StepState::kMeasured;
  stored.acceptedSha256 = "aa";
  EXPECT_EQ(decideCompletion(stored, "aa"), IngestAnswer::kDuplicate);
  EXPECT_EQ(decideCompletion(stored, "bb"), IngestAnswer::kFenced);
  stored.stepEpoch = 2;
  stored.step = StepState::kLeased;
  EXPECT_EQ(decideCompletion(stored, "aa"), IngestAnswer::kDuplicate);
  EXPECT_EQ(decideCompletion(stored, "bb"), IngestAnswer::kFenced);
}

TEST(DecideCompletion, EveryStateOfTheStepWithTheEpochThatStands) {
  for (auto state : allStepStates()) {
    StoredAttempt stored = leased(1, 1);
    stored.step = state;
    IngestAnswer expected = state == StepState::kLeased || state == StepState::kReady
                                ? IngestAnswer::kOk
                            : isTerminal(state) ? IngestAnswer::kFenced
                                                : IngestAnswer::kUnknown;
    EXPECT_EQ(decideCompletion(stored, "aa"), expected) << toString(state);
    EXPECT_EQ(decideChunk(stored), expected) << toString(state);
  }
}

TEST(DecideChunk, AfterTheEndAChunkSentAgainIsStillLookedAt) {
  StoredAttempt stored = leased(1, 1);
  stored.step = StepState::kMeasured;
  stored.acceptedSha256 = "aa";
  EXPECT_EQ(decideChunk(stored), IngestAnswer::kOk);
}

}  // namespace
}  // namespace fleetmark::coordinator::domain
