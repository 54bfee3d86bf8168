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
  must(complete(*db_, Settings(), {who_, work_.lease, completion, {}}));
  EXPECT_EQ(sql("SELECT quiet ->> 'quiet' FROM fleetmark.attempt"), "true");
}

TEST_F(Ingest, TheLastChunkMayComeWithTheEnd) {
  EXPECT_EQ(chunk(work_.lease, chunkOf(0, {1})), IngestAnswer::kOk);
  auto last = chunkOf(1, {3});
  model::Completion completion;
  completion.chunkCount = 2;
  auto deliver = [&] {
    return must(complete(*db_, Settings(), {who_, work_.lease, completion, last})).answer;
  };
  EXPECT_EQ(deliver(), IngestAnswer::kOk);
  EXPECT_EQ(deliver(), IngestAnswer::kDuplicate);
  EXPECT_EQ(sql("SELECT n || ' ' || mean FROM fleetmark.result WHERE metric = 'cpu_rate'"), "2 2");
}

TEST_F(Ingest, TheLastChunkStaysWhereAnotherIsMissing) {
  auto last = chunkOf(1, {3});
  model::Completion completion;
  completion.chunkCount = 2;
  auto reply = must(complete(*db_, Settings(), {who_, work_.lease, completion, last}));
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

// Several agents deliver at once.
class IngestTogether : public ServiceTest {
 protected:
  IngestTogether() : id_(insert(store::makeCampaign(4))) {
    for (const char* machine : {"a", "b", "c", "d"}) {
      auto who = agentOn(machine);
      auto work = take(who);
      deliveries_.push_back({who, work->lease, {}, chunkOf(0, {1, 2, 6})});
      deliveries_.back().completion.chunkCount = 1;
    }
  }
  std::vector<base::Result<IngestReply>> deliver() {
    return completeEach(*db_, Settings(), deliveries_);
  }
  std::vector<IngestAnswer> answers() {
    std::vector<IngestAnswer> out;
    for (auto& reply : deliver()) out.push_back(must(std::move(reply)).answer);
    return out;
  }
  std::string measured() {
    return sql("SELECT count(*) FROM fleetmark.step WHERE state = 'measured'");
  }

  base::CampaignId id_;
  std::vector<Delivery> deliveries_;
};

TEST_F(IngestTogether, OneTransactionStoresAllAndEndsTheCampaign) {
  EXPECT_EQ(answers(), std::vector(4, IngestAnswer::kOk));
  EXPECT_EQ(measured(), "4");
  EXPECT_EQ(campaignState(id_), "done");
  // By hand: mean and median of 1, 2 and 6.
  EXPECT_EQ(sql("SELECT DISTINCT n || ' ' || mean || ' ' || median FROM fleetmark.result "
                "WHERE metric = 'cpu_rate'"),
            "3 3 2");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.result WHERE metric = 'cpu_rate'"), "4");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.lease"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.event WHERE kind = 'step.ended'"), "4");
  EXPECT_EQ(sql("SELECT count(DISTINCT xmin::text) FROM fleetmark.sample_chunk"), "1");
  EXPECT_EQ(answers(), std::vector(4, IngestAnswer::kDuplicate));
  EXPECT_EQ(sql("SELECT sum(n) FROM fleetmark.sample_series"), "12");
}

TEST_F(IngestTogether, EachIsJudgedByItself) {
  deliveries_[0].lease.token = std::string(16, 'x');
  deliveries_[1].completion.chunkCount = 3;
  deliveries_[2].lastChunk->samples[0].metric = "warp_speed";
  auto replies = deliver();
  EXPECT_EQ(must(replies[0]).answer, IngestAnswer::kUnknown);
  EXPECT_EQ(must(replies[1]).answer, IngestAnswer::kMissing);
  EXPECT_EQ(must(replies[1]).missing, (std::vector<std::uint32_t>{1, 2}));
  ASSERT_FALSE(replies[2]);
  EXPECT_EQ(replies[2].error().code, base::ErrorCode::kInvalid);
  EXPECT_EQ(must(replies[3]).answer, IngestAnswer::kOk);
  EXPECT_EQ(measured(), "1");
}

// A value that only the database refuses: a document that is no JSON.
TEST_F(IngestTogether, OneThatTheDatabaseRefusesHarmsNoOther) {
  deliveries_[1].completion.environmentAfterJson = "{";
  auto replies = deliver();
  ASSERT_FALSE(replies[1]);
  EXPECT_EQ(replies[1].error().code, base::ErrorCode::kInvalid);
  for (std::size_t i : {0u, 2u, 3u}) EXPECT_EQ(must(replies[i]).answer, IngestAnswer::kOk);
  EXPECT_EQ(measured(), "3");
  EXPECT_EQ(stepState(deliveries_[1].lease.step), "leased");
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.sample_chunk"), "3");
  deliveries_[1].completion.environmentAfterJson = "{}";
  EXPECT_EQ(answers()[1], IngestAnswer::kOk);
  EXPECT_EQ(campaignState(id_), "done");
}

TEST_F(IngestTogether, TheSameEndTwiceIsStoredOnce) {
  deliveries_[1] = deliveries_[0];
  EXPECT_EQ(answers(), (std::vector{IngestAnswer::kOk, IngestAnswer::kDuplicate, IngestAnswer::kOk,
                                    IngestAnswer::kOk}));
  EXPECT_EQ(measured(), "3");
}

TEST_F(IngestTogether, AnotherContentUnderTheSameNumberIsFencedAndTheRestIsStored) {
  must(appendSamples(*db_, deliveries_[2].who, deliveries_[2].lease, chunkOf(0, {9})));
  EXPECT_EQ(answers(), (std::vector{IngestAnswer::kOk, IngestAnswer::kOk, IngestAnswer::kFenced,
                                    IngestAnswer::kOk}));
  EXPECT_EQ(stepState(deliveries_[2].lease.step), "leased");
}

TEST_F(IngestTogether, FailuresAndChunksThatCameBeforeAreAmongThem) {
  must(appendSamples(*db_, deliveries_[0].who, deliveries_[0].lease, chunkOf(0, {10})));
  deliveries_[0].lastChunk = chunkOf(1, {20});
  deliveries_[0].completion.chunkCount = 2;
  deliveries_[1].completion.outcome = Outcome::kMeasurement;
  deliveries_[1].completion.message = "a hash did not match";
  deliveries_[1].completion.notices = {{"cpu/end", "late"}};
  deliveries_[2].completion.outcome = Outcome::kInfrastructure;
  deliveries_[2].completion.message = "the disk is full";
  EXPECT_EQ(answers(), std::vector(4, IngestAnswer::kOk));
  EXPECT_EQ(stepState(deliveries_[1].lease.step), "failed");
  EXPECT_EQ(stepState(deliveries_[2].lease.step), "ready");
  EXPECT_EQ(sql("SELECT r.mean FROM fleetmark.result r JOIN fleetmark.attempt x ON "
                "x.id = r.attempt_id WHERE r.metric = 'cpu_rate' AND x.step_id = " +
                std::to_string(deliveries_[0].lease.step.value)),
            "15");
  EXPECT_EQ(sql("SELECT x.step_id || ' ' || n.message FROM fleetmark.notice n JOIN "
                "fleetmark.attempt x ON x.id = n.attempt_id"),
            std::to_string(deliveries_[1].lease.step.value) + " late");
}

}  // namespace
}  // namespace fleetmark::coordinator::service
