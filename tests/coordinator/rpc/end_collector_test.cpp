#include "coordinator/rpc/end_collector.h"

#include "common/rpc/uv_event_port.h"
#include "coordinator/service/work.h"
#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::rpc {
namespace {

using model::IngestAnswer;
using store::must;

class FailTest final : public kj::TaskSet::ErrorHandler {
 public:
  void taskFailed(kj::Exception&& exception) override {
    ADD_FAILURE() << exception.getDescription().cStr();
  }
};

// KJ's destructors may throw, which a test fixture's may not: they stand in a struct of their own.
struct EndsRig {
  explicit EndsRig(std::function<std::unique_ptr<ports::Database>()> open)
      : tasks(errors),
        work(
            [open] {
              auto context = std::make_unique<WorkerContext>();
              context->database = open();
              return context;
            },
            {.threads = 4, .queueLimit = 64}),
        ends(work, loop.timer(), tasks, newEvents, workReady, settings) {}
  ~EndsRig() noexcept(false) { work.stop(); }
  KJ_DISALLOW_COPY(EndsRig);

  service::Settings settings;
  fleetmark::rpc::UvLoop loop;
  FailTest errors;
  kj::TaskSet tasks;
  Bridge work;
  ChangeSignal newEvents;
  ChangeSignal workReady;
  EndCollector ends;
};

class EndCollection : public store::StoreTest {
 protected:
  EndCollection() : rig_(std::make_unique<EndsRig>([this] { return open(); })) {}

  // Claimed by an agent on a machine of its own.
  service::Delivery claimed(const std::string& machine) {
    auto who = enter({.name = machine, .machine = machine});
    auto work = claim(who);
    return {who, work->lease, {}, std::nullopt};
  }
  IngestAnswer answer(kj::Promise<EndCollector::Reply>&& promise) {
    return must(promise.wait(rig_->loop.scope())).answer;
  }

  std::unique_ptr<EndsRig> rig_;
};

TEST_F(EndCollection, WhatComesInOneTurnIsStoredInOneTransaction) {
  auto id = insert(store::makeCampaign(3));
  auto signal = rig_->workReady.wait();
  auto a = rig_->ends.store(claimed("a"));
  auto b = rig_->ends.store(claimed("b"));
  auto c = rig_->ends.store(claimed("c"));
  EXPECT_EQ(answer(kj::mv(a)), IngestAnswer::kOk);
  EXPECT_EQ(answer(kj::mv(b)), IngestAnswer::kOk);
  EXPECT_EQ(answer(kj::mv(c)), IngestAnswer::kOk);
  EXPECT_EQ(sql("SELECT count(DISTINCT xmin::text) FROM fleetmark.attempt"), "1");
  EXPECT_EQ(summary(id).state, domain::CampaignState::kDone);
  EXPECT_TRUE(signal.poll(rig_->loop.scope()));
}

TEST_F(EndCollection, AnEndThatWaitsForALockDoesNotHoldUpLaterOnes) {
  insert(store::makeCampaign(2));
  auto stuck = claimed("a");
  auto free = claimed("b");
  auto other = open();
  auto holding = must(other->begin());
  must(holding->queue().lock(stuck.lease.step, stuck.lease.epoch));
  auto first = rig_->ends.store(stuck);
  EXPECT_FALSE(first.poll(rig_->loop.scope()));  // its batch is on its way
  EXPECT_EQ(answer(rig_->ends.store(free)), IngestAnswer::kOk);
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.step WHERE state = 'leased'"), "1");
  must(holding->commit());
  EXPECT_EQ(answer(kj::mv(first)), IngestAnswer::kOk);
}

TEST_F(EndCollection, AnErrorIsAnsweredToEach) {
  insert(store::makeCampaign(2));
  auto a = claimed("a");
  auto b = claimed("b");
  sql("ALTER TABLE fleetmark.attempt RENAME TO gone");
  auto first = rig_->ends.store(a);
  auto second = rig_->ends.store(b);
  EXPECT_FALSE(first.wait(rig_->loop.scope()));
  EXPECT_FALSE(second.wait(rig_->loop.scope()));
}

}  // namespace
}  // namespace fleetmark::coordinator::rpc
