#include <atomic>
#include <thread>

#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class QueueClaim : public StoreTest {};

TEST_F(QueueClaim, HandsOutAllThatAnAgentNeeds) {
  auto id = insert(makeCampaign(2));
  auto who = enter();
  auto work = claim(who);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->campaign, id);
  EXPECT_EQ(work->campaignName, "quick");
  EXPECT_EQ(work->runner, "linux");
  EXPECT_EQ(work->stepName, "measure");
  EXPECT_EQ(work->probe, "cpu");
  EXPECT_EQ(work->protocol, 1);
  EXPECT_EQ(work->paramsJson, R"({"samples": 5})");
  EXPECT_EQ(work->placementJson, R"({"path": "/var/tmp"})");
  EXPECT_EQ(work->leaseTtl, kTtl);
  EXPECT_EQ(work->timeLimit, std::chrono::seconds(60));
  EXPECT_EQ(work->lease.epoch, 1);
  EXPECT_EQ(work->lease.token.size(), 16u);
  auto told = look(work->lease);
  EXPECT_EQ(told.state, domain::StepState::kLeased);
  EXPECT_EQ(told.attempts, 1);
  EXPECT_EQ(told.maxAttempts, 2);
  EXPECT_EQ(told.probe, "cpu");
  EXPECT_EQ(told.requestedSamples, 5u);
  EXPECT_EQ(told.lease, domain::LeaseState::kActive);
  EXPECT_EQ(told.leaseToken, work->lease.token);
  EXPECT_FALSE(told.leaseExpired);
  EXPECT_EQ(told.attempt, work->attempt);
  EXPECT_EQ(told.attemptAgent, who.agent);
  EXPECT_FALSE(told.attemptEnded);
  EXPECT_EQ(told.attemptBodySha256, "");
  EXPECT_EQ(summary(id).state, domain::CampaignState::kRunning);
  EXPECT_EQ(steps(id)[0].agent, "agent-a");
}

TEST_F(QueueClaim, GoesByPositionAndByAgeOfTheCampaign) {
  auto first = insert(makeCampaign(2));
  insert(makeCampaign(1));
  auto who = enter();
  std::vector<std::int64_t> order;
  while (auto work = claim(who)) {
    order.push_back(work->lease.step.value);
    measured(work->lease);
  }
  ASSERT_EQ(order.size(), 3u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(steps(first)[1].state, domain::StepState::kMeasured);
}

TEST_F(QueueClaim, OnlyAgentsWithTheLabelsAndTheProbe) {
  insert(makeCampaign());
  EXPECT_FALSE(claim(enter({.name = "mac", .machine = "m1", .labels = {{"os", "macos"}}})));
  EXPECT_FALSE(claim(enter({.name = "bare", .machine = "m2", .labels = {}})));
  EXPECT_FALSE(claim(enter({.name = "old", .machine = "m3", .probes = {"cpu/2", "disk/1"}})));
  EXPECT_TRUE(claim(enter({.name = "good", .machine = "m4"})));
}

TEST_F(QueueClaim, AnOlderSessionGetsNothing) {
  insert(makeCampaign());
  auto hello = makeHello();
  auto old = enter(hello);
  auto now = enter(hello);
  EXPECT_EQ(now.session, old.session + 1);
  EXPECT_FALSE(claim(old));
  EXPECT_TRUE(claim(now));
}

TEST_F(QueueClaim, OneProbeAtATimeOnAMachine) {
  insert(makeCampaign(3));
  auto one = enter({.name = "one", .machine = "shared"});
  auto two = enter({.name = "two", .machine = "shared"});
  auto other = enter({.name = "other", .machine = "own"});
  auto work = claim(one);
  ASSERT_TRUE(work);
  EXPECT_FALSE(claim(one));
  EXPECT_FALSE(claim(two));
  EXPECT_TRUE(claim(other));
  measured(work->lease);
  EXPECT_TRUE(claim(two));
}

TEST_F(QueueClaim, AnExpiredLeaseHoldsTheMachineUntilItIsReaped) {
  insert(makeCampaign(2));
  auto who = enter();
  auto work = claim(who, base::Nanos(1000));
  ASSERT_TRUE(work);
  EXPECT_FALSE(claim(who));
  EXPECT_TRUE(look(work->lease).leaseExpired);
  auto expired = inUnit([](ports::UnitOfWork& unit) { return unit.queue().expired(10); });
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0], std::pair(work->lease.step, work->lease.epoch));
  auto end = endOf(work->lease, domain::StepState::kReady, model::Outcome::kInfrastructure);
  end.bodySha256.clear();
  finish(end);
  auto again = claim(who);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->lease.step, work->lease.step);
  EXPECT_EQ(again->lease.epoch, 2);
}

// Where the way to the database is slow, its transaction begins much earlier.
TEST_F(QueueClaim, AnAttemptStartsWithItsClaim) {
  insert(makeCampaign());
  auto who = enter();
  auto unit = must(db_->begin());
  std::string begun = sql("SELECT clock_timestamp()");
  ASSERT_TRUE(must(unit->queue().claim({who.agent, who.session, kTtl})));
  must(unit->commit());
  EXPECT_EQ(sql("SELECT started_at >= '" + begun + "' FROM fleetmark.attempt"), "t");
}

TEST_F(QueueClaim, CancelledCampaignsGiveNothing) {
  auto id = insert(makeCampaign());
  sql("UPDATE fleetmark.campaign SET state = 'cancelling' WHERE id = " + std::to_string(id.value));
  EXPECT_FALSE(claim(enter()));
}

// Each thread has a database connection of its own and meets the others at the claim.
template <typename Fn>
void race(int threads, Fn&& fn) {
  std::atomic<int> waiting{threads};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      fn(i);
    });
  }
  for (auto& thread : all) thread.join();
}

TEST_F(QueueClaim, ManyAgentsRaceForOneStepAndOneGetsIt) {
  for (int round = 0; round < 5; ++round) {
    insert(makeCampaign(1));
    constexpr int kAgents = 4;
    std::vector<ports::Registration> who;
    std::vector<std::unique_ptr<ports::Database>> databases;
    for (int i = 0; i < kAgents; ++i) {
      who.push_back(enter({.machine = "m" + std::to_string(round * kAgents + i)}));
      databases.push_back(open());
      must(databases.back()->begin());
    }
    std::atomic<int> got{0};
    race(kAgents, [&](int i) {
      auto n = static_cast<std::size_t>(i);
      auto unit = databases[n]->begin();
      auto work = (*unit)->queue().claim({who[n].agent, who[n].session, kTtl});
      if (work && *work && (*unit)->commit()) ++got;
    });
    EXPECT_EQ(got, 1);
  }
}

TEST_F(QueueClaim, TwoAgentsOfOneMachineRaceAndOneGetsALease) {
  for (int round = 0; round < 5; ++round) {
    insert(makeCampaign(2));
    std::string machine = "m" + std::to_string(round);
    std::vector<ports::Registration> who = {enter({.machine = machine}),
                                            enter({.machine = machine})};
    std::vector<std::unique_ptr<ports::Database>> databases;
    for (int i = 0; i < 2; ++i) {
      databases.push_back(open());
      must(databases.back()->begin());
    }
    std::atomic<int> got{0}, conflicts{0};
    race(2, [&](int i) {
      auto n = static_cast<std::size_t>(i);
      auto unit = databases[n]->begin();
      auto work = (*unit)->queue().claim({who[n].agent, who[n].session, kTtl});
      if (!work) {
        EXPECT_EQ(work.error().code, base::ErrorCode::kConflict);
        ++conflicts;
      } else if (*work && (*unit)->commit()) {
        ++got;
      }
    });
    EXPECT_EQ(got, 1) << conflicts << " conflicts";
    EXPECT_EQ(
        sql("SELECT count(*) FROM fleetmark.lease WHERE machine_key = 'key of " + machine + "'"),
        "1");
  }
}

using Requests = std::vector<ports::ClaimRequest>;

TEST_F(QueueClaim, ManyAtOnceGetDifferentStepsInOrder) {
  insert(makeCampaign(3));
  Requests requests;
  for (const char* machine : {"a", "b", "shared", "shared", "c", "d"}) {
    auto who = enter({.name = machine, .machine = machine});
    requests.push_back({who.agent, who.session, kTtl});
  }
  requests[1].session = 77;  // never was
  auto got = inUnit([&](ports::UnitOfWork& unit) { return unit.queue().claimEach(requests); });
  ASSERT_EQ(got.size(), 6u);
  ASSERT_TRUE(got[0] && got[2] && got[4]);
  EXPECT_FALSE(got[1] || got[3] || got[5]);
  EXPECT_LT(got[0]->lease.step.value, got[2]->lease.step.value);
  EXPECT_LT(got[2]->lease.step.value, got[4]->lease.step.value);
  for (const auto* one : {&got[0], &got[2], &got[4]}) {
    EXPECT_EQ(look((*one)->lease).leaseToken, (*one)->lease.token);
  }
  EXPECT_EQ(look(got[4]->lease).attemptAgent, requests[4].agent);
}

TEST_F(QueueClaim, ManyAtOnceKeepTheRelationsOfEach) {
  insert(makeCampaign(2, saveAndRestore(base::Nanos(0), model::HostRelation::kDifferent)));
  auto one = enter({.name = "one", .machine = "m1", .boot = "b1"});
  auto two = enter({.name = "two", .machine = "m2", .boot = "b2"});
  Requests both{{one.agent, one.session, kTtl}, {two.agent, two.session, kTtl}};
  auto claimBoth = [&] {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.queue().claimEach(both); });
  };
  auto saves = claimBoth();
  ASSERT_TRUE(saves[0] && saves[1]);
  for (const auto& save : saves) measured(save->lease);
  auto restores = claimBoth();
  ASSERT_TRUE(restores[0] && restores[1]);
  EXPECT_EQ(restores[0]->stepName, "restore");
  // Each restores what the other one saved: restore is the next step of the save's job.
  EXPECT_EQ(restores[0]->lease.step.value, saves[1]->lease.step.value + 1);
  EXPECT_EQ(restores[1]->lease.step.value, saves[0]->lease.step.value + 1);
}

TEST_F(QueueClaim, StepsThatSomebodyElseHoldsAreLeftOut) {
  insert(makeCampaign(3));
  auto holder = open();
  auto holding = must(holder->begin());
  auto who = enter({.name = "first", .machine = "m1"});
  auto held = must(holding->queue().claim({who.agent, who.session, kTtl}));
  auto two = enter({.name = "two", .machine = "m2"});
  auto three = enter({.name = "three", .machine = "m3"});
  Requests both{{two.agent, two.session, kTtl}, {three.agent, three.session, kTtl}};
  auto got = inUnit([&](ports::UnitOfWork& unit) { return unit.queue().claimEach(both); });
  ASSERT_TRUE(held && got[0] && got[1]);
  EXPECT_NE(got[0]->lease.step, held->lease.step);
  EXPECT_NE(got[1]->lease.step, held->lease.step);
  EXPECT_NE(got[0]->lease.step, got[1]->lease.step);
}

TEST_F(QueueClaim, RenewalsAnswerInOrder) {
  auto id = insert(makeCampaign(2));
  auto who = enter();
  auto work = claim(who);
  ASSERT_TRUE(work);
  auto renew = [&](std::vector<model::LeaseRef> leases) {
    return inUnit(
        [&](ports::UnitOfWork& unit) { return unit.queue().renew(who.agent, leases, kTtl); });
  };
  using enum model::RenewAnswer;
  auto wrongToken = work->lease;
  wrongToken.token[3] = static_cast<char>(wrongToken.token[3] ^ 1);
  auto oldEpoch = work->lease;
  oldEpoch.epoch = 0;
  EXPECT_EQ(renew({oldEpoch, work->lease, wrongToken}), (std::vector{kLost, kRenewed, kLost}));
  EXPECT_TRUE(renew({}).empty());
  auto live = inUnit([&](ports::UnitOfWork& unit) {
    return unit.queue().cancelCampaign(id, "the campaign was cancelled");
  });
  EXPECT_EQ(live, 1u);
  EXPECT_EQ(renew({work->lease}), std::vector{kCancel});
  EXPECT_EQ(look(work->lease).lease, domain::LeaseState::kCancelling);
  // Another agent has no right to it.
  auto other = inUnit([&](ports::UnitOfWork& unit) {
    return unit.queue().renew(base::newUuid(), std::vector{work->lease}, kTtl);
  });
  EXPECT_EQ(other, std::vector{kLost});
}

TEST_F(QueueClaim, AnExpiredLeaseCannotBeRenewed) {
  insert(makeCampaign());
  auto who = enter();
  auto work = claim(who, base::Nanos(1000));
  auto answer = inUnit([&](ports::UnitOfWork& unit) {
    return unit.queue().renew(who.agent, std::vector{work->lease}, kTtl);
  });
  EXPECT_EQ(answer, std::vector{model::RenewAnswer::kLost});
}

struct RelationCase {
  model::HostRelation relation;
  bool sameMachine;   // may the agent that saved restore?
  bool otherMachine;  // may one on another machine?
};

class QueueClaimRelation : public StoreTest, public ::testing::WithParamInterface<RelationCase> {};

TEST_P(QueueClaimRelation, Holds) {
  const auto& p = GetParam();
  insert(makeCampaign(1, saveAndRestore(base::Nanos(0), p.relation)));
  auto saver = enter({.name = "saver", .machine = "m1", .boot = "b1"});
  auto work = claim(saver);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->stepName, "save");
  measured(work->lease);
  auto other = enter({.name = "other", .machine = "m2", .boot = "b2"});
  auto tryOne = [&](const ports::Registration& who) {
    auto unit = must(db_->begin());  // rolled back
    return must(unit->queue().claim({who.agent, who.session, kTtl})).has_value();
  };
  EXPECT_EQ(tryOne(saver), p.sameMachine);
  EXPECT_EQ(tryOne(other), p.otherMachine);
  if (p.relation == model::HostRelation::kFresh) {
    // The same boot under another machine id is a copy of it, not fresh.
    EXPECT_FALSE(tryOne(enter({.name = "copy", .machine = "m3", .boot = "b1"})));
  }
}

INSTANTIATE_TEST_SUITE_P(
    QueueClaim, QueueClaimRelation,
    ::testing::Values(RelationCase{model::HostRelation::kAny, true, true},
                      RelationCase{model::HostRelation::kSame, true, false},
                      RelationCase{model::HostRelation::kDifferent, false, true},
                      RelationCase{model::HostRelation::kFresh, false, true}),
    [](const auto& one) { return std::string(model::toString(one.param.relation)); });

TEST_F(QueueClaim, FreshMeansNoFailedAttemptToSaveThereEither) {
  insert(makeCampaign(1, saveAndRestore(base::Nanos(0), model::HostRelation::kFresh)));
  auto first = enter({.name = "first", .machine = "m1", .boot = "b1"});
  auto lost = claim(first);
  finish(endOf(lost->lease, domain::StepState::kReady, model::Outcome::kInfrastructure));
  auto second = enter({.name = "second", .machine = "m2", .boot = "b2"});
  auto saved = claim(second);
  measured(saved->lease);
  EXPECT_FALSE(claim(first));
  EXPECT_FALSE(claim(second));
  EXPECT_TRUE(claim(enter({.name = "third", .machine = "m3", .boot = "b3"})));
}

}  // namespace
}  // namespace fleetmark::coordinator::store
