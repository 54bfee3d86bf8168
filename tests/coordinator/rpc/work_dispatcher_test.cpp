#include "coordinator/rpc/work_dispatcher.h"

#include <functional>

#include "common/rpc/uv_event_port.h"
#include "coordinator/service/agents.h"
#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::rpc {
namespace {

using store::must;

class IgnoredErrors final : public kj::TaskSet::ErrorHandler {
 public:
  void taskFailed(kj::Exception&& exception) override {
    ADD_FAILURE() << exception.getDescription().cStr();
  }
};

// KJ's destructors may throw, which a test fixture's may not: they stand in a struct of their own.
struct Rig {
  explicit Rig(std::function<std::unique_ptr<ports::Database>()> open)
      : tasks(errors),
        work(
            [open] {
              auto context = std::make_unique<WorkerContext>();
              context->database = open();
              return context;
            },
            {.threads = 2, .queueLimit = 64}),
        dispatcher(work, loop.timer(), tasks, workReady, handedOut, settings) {
    tasks.add(dispatcher.run());
  }
  ~Rig() noexcept(false) { work.stop(); }
  KJ_DISALLOW_COPY(Rig);

  service::Settings settings;
  fleetmark::rpc::UvLoop loop;
  IgnoredErrors errors;
  kj::TaskSet tasks;
  Bridge work;
  ChangeSignal workReady;
  ChangeSignal handedOut;
  WorkDispatcher dispatcher;
};

class Dispatcher : public store::StoreTest {
 protected:
  Dispatcher() : rig_(std::make_unique<Rig>([this] { return open(); })) {}

  WorkDispatcher::TakerPtr onMachine(const std::string& machine) {
    store::AgentChoice choice;
    choice.machine = machine;
    auto hello = store::makeHello(choice);
    return std::make_shared<const service::Taker>(
        service::Taker{enter(hello), hello.labels, hello.probes});
  }
  kj::Promise<WorkDispatcher::Taken> take(const std::string& machine,
                                          kj::Duration wait = 60 * kj::SECONDS) {
    return rig_->dispatcher.take(onMachine(machine), rig_->loop.timer().now() + wait);
  }
  template <typename T>
  T result(kj::Promise<T>&& promise) {
    return promise.wait(rig_->loop.scope());
  }
  void turnLoop(kj::Duration time) { rig_->loop.timer().afterDelay(time).wait(rig_->loop.scope()); }
  // Turns the loop until SQL says so; a minute at most.
  bool eventually(const std::string& statement, const std::string& expected) {
    for (int i = 0; i < 1200; ++i) {
      if (sql(statement) == expected) return true;
      turnLoop(50 * kj::MILLISECONDS);
    }
    return false;
  }

  std::unique_ptr<Rig> rig_;
};

TEST_F(Dispatcher, GivesWhatIsThereToWhoeverWaits) {
  insert(store::makeCampaign(3));
  auto first = take("a");
  auto second = take("b");
  auto a = result(kj::mv(first));
  auto b = result(kj::mv(second));
  ASSERT_TRUE(a && *a && b && *b);
  EXPECT_NE((*a)->lease.step, (*b)->lease.step);
}

TEST_F(Dispatcher, AWakeBringsWorkThatCameLater) {
  auto waiting = take("a");
  EXPECT_FALSE(waiting.poll(rig_->loop.scope()));
  insert(store::makeCampaign(1));
  rig_->workReady.raise();
  auto taken = result(kj::mv(waiting));
  ASSERT_TRUE(taken && *taken);
}

TEST_F(Dispatcher, AnswersWithNothingAtTheDeadline) {
  auto taken = result(take("a", 1 * kj::MILLISECONDS));
  ASSERT_TRUE(taken);
  EXPECT_FALSE(*taken);
}

TEST_F(Dispatcher, WhatWasClaimedForOneWhoLeftGoesBack) {
  insert(store::makeCampaign(1));
  {
    auto gone = take("a");
    // The round has begun once the loop turned; its answer finds nobody.
    turnLoop(0 * kj::SECONDS);
  }
  EXPECT_TRUE(eventually("SELECT count(*) FROM fleetmark.lease", "0"));
  EXPECT_TRUE(eventually("SELECT state FROM fleetmark.step", "ready"));
}

TEST_F(Dispatcher, AnErrorIsAnsweredToAllWhoWait) {
  auto first = take("a");
  auto second = take("b");
  sql("ALTER TABLE fleetmark.runner RENAME TO gone");
  rig_->workReady.raise();
  EXPECT_FALSE(result(kj::mv(first)));
  EXPECT_FALSE(result(kj::mv(second)));
}

}  // namespace
}  // namespace fleetmark::coordinator::rpc
