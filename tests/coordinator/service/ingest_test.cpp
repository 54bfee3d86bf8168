#include "tests/coordinator/service/fixture.h"

namespace fleetmark::coordinator::service {
namespace {

using model::IngestAnswer;
using model::Outcome;

class Ingest : public ServiceTest {
 protected:
  Ingest() : id_(insert(store::makeCampaign())), who_(enter()), work_(*take(who_)) {}

  IngestAnswer chunk(const model::LeaseRef& lease, const model::SampleChunk& chunk) {
    return must(appendSamples(*db_, who_, lease, chunk)).answer;
  }

  base::CampaignId id_;
  ports::Registration who_;
  model::Assignment work_;
};

TEST_F(Ingest, StoresSamplesResultAndEndOfTheCampaign) {
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {10, 20})), IngestAnswer::kOk);
  EXPECT_EQ(chunk(work_.lease, chunkOf(1, {30})), IngestAnswer::kOk);
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured, 2).answer, IngestAnswer::kOk);
  EXPECT_EQ(stepState(work_.lease.step), "measured");
  EXPECT_EQ(campaignState(id_), "done");
  // By hand: n 3 of 5 requested, median 20, mean 20.
  EXPECT_EQ(sql("SELECT format('%s %s %s %s', n, requested, median, mean) FROM fleetmark.result"),
            "3 5 20 20");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.lease"), "0");
}

TEST_F(Ingest, TheSameAgainIsADuplicateAndChangesNothing) {
  auto first = chunkOf(0, {1, 2, 3});
  EXPECT_EQ(chunk(work_.lease, first), IngestAnswer::kOk);
  EXPECT_EQ(chunk(work_.lease, first), IngestAnswer::kDuplicate);
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured, 1).answer, IngestAnswer::kOk);
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured, 1).answer, IngestAnswer::kDuplicate);
  EXPECT_EQ(chunk(work_.lease, first), IngestAnswer::kDuplicate);
  EXPECT_EQ(sql("SELECT sum(n) FROM fleetmark.sample_series"), "3");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.result WHERE metric = 'cpu_rate'"), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.event WHERE kind = 'step.ended'"), "1");
}

TEST_F(Ingest, OtherContentUnderTheSameNumberIsFenced) {
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {1})), IngestAnswer::kOk);
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {2})), IngestAnswer::kFenced);
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured, 1).answer, IngestAnswer::kOk);
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasurement, 1, "another end").answer,
            IngestAnswer::kFenced);
  EXPECT_EQ(stepState(work_.lease.step), "measured");
}

TEST_F(Ingest, NamesTheChunksThatAreMissing) {
  EXPECT_EQ(chunk(work_.lease, chunkOf(1, {1})), IngestAnswer::kOk);
  auto reply = end(who_, work_.lease, Outcome::kMeasured, 4);
  EXPECT_EQ(reply.answer, IngestAnswer::kMissing);
  EXPECT_EQ(reply.missing, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(stepState(work_.lease.step), "leased");
  for (std::uint32_t number : {0u, 2u, 3u}) chunk(work_.lease, chunkOf(number, {1}));
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured, 4).answer, IngestAnswer::kOk);
}

TEST_F(Ingest, AnEarlierEpochIsFencedOnceAnotherClaimWasMade) {
  later("1 hour");
  must(reap(*db_));
  later("1 hour");
  auto other = agentOn("machine-b");
  auto second = take(other);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->lease.epoch, 2);
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {1})), IngestAnswer::kFenced);
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured).answer, IngestAnswer::kFenced);
  EXPECT_EQ(end(other, second->lease, Outcome::kMeasured).answer, IngestAnswer::kOk);
}

TEST_F(Ingest, ALateEndWhoseEpochStillStandsIsAccepted) {
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {7})), IngestAnswer::kOk);
  later("1 hour");
  must(reap(*db_));
  EXPECT_EQ(stepState(work_.lease.step), "ready");
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured, 1).answer, IngestAnswer::kOk);
  EXPECT_EQ(stepState(work_.lease.step), "measured");
  EXPECT_EQ(campaignState(id_), "done");
}

TEST_F(Ingest, ALeaseThatIsNotTheAgentsIsUnknown) {
  auto wrongToken = work_.lease;
  wrongToken.token = std::string(16, 'x');
  EXPECT_EQ(chunk(wrongToken, chunkOf(0, {1})), IngestAnswer::kUnknown);
  EXPECT_EQ(end(who_, wrongToken, Outcome::kMeasured).answer, IngestAnswer::kUnknown);
  auto later = work_.lease;
  later.epoch = 7;
  EXPECT_EQ(end(who_, later, Outcome::kMeasured).answer, IngestAnswer::kUnknown);
  auto nowhere = work_.lease;
  nowhere.step = base::StepId{999'999};
  EXPECT_EQ(end(who_, nowhere, Outcome::kMeasured).answer, IngestAnswer::kUnknown);
  auto stranger = agentOn("machine-b");
  EXPECT_EQ(end(stranger, work_.lease, Outcome::kMeasured).answer, IngestAnswer::kUnknown);
  EXPECT_EQ(stepState(work_.lease.step), "leased");
}

TEST_F(Ingest, AMetricThatTheProbeLacksIsRefused) {
  auto strange = chunkOf(0, {1});
  strange.samples[0].metric = "warp_speed";
  auto refused = appendSamples(*db_, who_, work_.lease, strange);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::kInvalid);
  EXPECT_NE(refused.error().message.find("warp_speed"), std::string::npos);
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.sample_chunk"), "0");
}

TEST_F(Ingest, WhatWasSeenOfTheHostsQuietIsStored) {
  model::Completion completion;
  completion.quietJson = R"({"quiet": true, "waited_ns": 0})";
  must(complete(*db_, Settings(), who_, work_.lease, completion));
  EXPECT_EQ(sql("SELECT quiet ->> 'quiet' FROM fleetmark.attempt"), "true");
}

TEST_F(Ingest, TheLastChunkMayComeWithTheEnd) {
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {1})), IngestAnswer::kOk);
  auto last = chunkOf(1, {3});
  model::Completion completion;
  completion.chunkCount = 2;
  auto deliver = [&] {
    return must(complete(*db_, Settings(), who_, work_.lease, completion, &last)).answer;
  };
  EXPECT_EQ(deliver(), IngestAnswer::kOk);
  EXPECT_EQ(deliver(), IngestAnswer::kDuplicate);
  EXPECT_EQ(sql("SELECT n || ' ' || mean FROM fleetmark.result WHERE metric = 'cpu_rate'"), "2 2");
}

TEST_F(Ingest, TheLastChunkStaysWhereAnotherIsMissing) {
  auto last = chunkOf(1, {3});
  model::Completion completion;
  completion.chunkCount = 2;
  auto reply = must(complete(*db_, Settings(), who_, work_.lease, completion, &last));
  EXPECT_EQ(reply.answer, IngestAnswer::kMissing);
  EXPECT_EQ(reply.missing, std::vector<std::uint32_t>{0});
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {1})), IngestAnswer::kOk);
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured, 2).answer, IngestAnswer::kOk);
}

TEST_F(Ingest, ACancelledCampaignKeepsAResultThatWasReady) {
  must(cancelCampaign(*db_, std::to_string(id_.value)));
  EXPECT_EQ(campaignState(id_), "cancelling");
  EXPECT_EQ(end(who_, work_.lease, Outcome::kMeasured).answer, IngestAnswer::kOk);
  EXPECT_EQ(stepState(work_.lease.step), "measured");
  EXPECT_EQ(campaignState(id_), "cancelled");
}

}  // namespace
}  // namespace fleetmark::coordinator::service
