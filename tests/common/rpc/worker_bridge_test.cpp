#include "common/rpc/worker_bridge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "common/rpc/uv_event_port.h"

namespace fleetmark::rpc {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

struct Desk {
  std::thread::id owner = std::this_thread::get_id();
  int used = 0;
};
using Bridge = WorkerBridge<Desk>;

std::unique_ptr<Desk> makeDesk() { return std::make_unique<Desk>(); }

// Keeps a worker busy until it is opened.
class Gate {
 public:
  void open() { promise_.set_value(); }
  void pass() {
    entered_.set_value();
    future_.wait();
  }
  void waitUntilEntered() { entered_.get_future().wait(); }

 private:
  std::promise<void> promise_;
  std::shared_future<void> future_ = promise_.get_future().share();
  std::promise<void> entered_;
};

TEST(WorkerBridge, AnswersOnTheLoopThreadWithAContextPerWorker) {
  UvLoop loop;
  Bridge bridge(makeDesk, {.threads = 3, .queueLimit = 1000});
  std::vector<kj::Promise<base::Result<int>>> answers;
  for (int i = 0; i < 500; ++i) {
    answers.push_back(bridge.run<int>([i](Desk& desk) -> base::Result<int> {
      EXPECT_EQ(desk.owner, std::this_thread::get_id());
      ++desk.used;
      return i;
    }));
  }
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 500; ++i) {
    const auto thread = answers[static_cast<std::size_t>(i)]
                            .then([i](base::Result<int> answer) {
                              EXPECT_EQ(answer.value(), i);
                              return std::this_thread::get_id();
                            })
                            .wait(loop.scope());
    EXPECT_EQ(thread, here);
  }
}

TEST(WorkerBridge, ErrorsAndVoidPassThrough) {
  UvLoop loop;
  Bridge bridge(makeDesk, {.threads = 1, .queueLimit = 10});
  EXPECT_TRUE(bridge.run<void>([](Desk&) -> base::Status { return {}; }).wait(loop.scope()));
  const auto status =
      bridge.run<void>([](Desk&) -> base::Status { return base::conflict("moved on"); })
          .wait(loop.scope());
  EXPECT_EQ(status.error(), base::conflict("moved on"));
}

TEST(WorkerBridge, FullQueueIsOverloaded) {
  UvLoop loop;
  Gate gate;
  Bridge bridge(makeDesk, {.threads = 1, .queueLimit = 2});
  auto busy = bridge.run<int>([&gate](Desk&) -> base::Result<int> {
    gate.pass();
    return 0;
  });
  gate.waitUntilEntered();
  auto one = bridge.run<int>([](Desk&) -> base::Result<int> { return 1; });
  auto two = bridge.run<int>([](Desk&) -> base::Result<int> { return 2; });
  EXPECT_EQ(bridge.queued(), 2u);
  const auto three =
      bridge.run<int>([](Desk&) -> base::Result<int> { return 3; }).wait(loop.scope());
  EXPECT_EQ(three.error().code, ErrorCode::kOverloaded);
  gate.open();
  EXPECT_EQ(busy.wait(loop.scope()).value(), 0);
  EXPECT_EQ(one.wait(loop.scope()).value(), 1);
  EXPECT_EQ(two.wait(loop.scope()).value(), 2);
}

TEST(WorkerBridge, ExceptionBecomesInternalWithAnIdThatTheLogHas) {
  UvLoop loop;
  Bridge bridge(makeDesk, {.threads = 1, .queueLimit = 10});
  testing::internal::CaptureStderr();
  const auto answer = bridge
                          .run<int>([](Desk&) -> base::Result<int> {
                            throw std::runtime_error("a mistake in a service");
                          })
                          .wait(loop.scope());
  const std::string log = testing::internal::GetCapturedStderr();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInternal);
  EXPECT_EQ(answer.error().message.find("a mistake"), std::string::npos) << "for the log only";
  const std::string id = answer.error().message.substr(std::string("internal error ").size(), 16);
  EXPECT_THAT(log, HasSubstr(id));
  EXPECT_THAT(log, HasSubstr("a mistake in a service"));
  const auto odd = bridge.run<int>([](Desk&) -> base::Result<int> { throw 5; }).wait(loop.scope());
  EXPECT_EQ(odd.error().code, ErrorCode::kInternal);
  EXPECT_EQ(
      bridge.run<int>([](Desk&) -> base::Result<int> { return 1; }).wait(loop.scope()).value(), 1);
}

TEST(WorkerBridge, ContextThatCanNotBeMadeIsTriedAgain) {
  UvLoop loop;
  std::atomic<int> tries{0};
  Bridge bridge(
      [&tries]() -> std::unique_ptr<Desk> {
        const int number = ++tries;
        if (number == 1) throw std::runtime_error("no database");
        if (number == 2) return nullptr;
        return makeDesk();
      },
      {.threads = 1, .queueLimit = 10});
  const auto work = [](Desk&) -> base::Result<int> { return 1; };
  EXPECT_EQ(bridge.run<int>(work).wait(loop.scope()).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(bridge.run<int>(work).wait(loop.scope()).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(bridge.run<int>(work).wait(loop.scope()).value(), 1);
  EXPECT_EQ(tries, 3);
}

TEST(WorkerBridge, StopAbandonsWhatWaitsAndEndsWhatRuns) {
  UvLoop loop;
  Gate gate;
  Bridge bridge(makeDesk, {.threads = 1, .queueLimit = 10});
  auto running = bridge.run<int>([&gate](Desk&) -> base::Result<int> {
    gate.pass();
    return 1;
  });
  gate.waitUntilEntered();
  auto waiting = bridge.run<int>([](Desk&) -> base::Result<int> { return 2; });
  std::thread stopper([&bridge] { bridge.stop(); });
  EXPECT_EQ(waiting.wait(loop.scope()).error().code, ErrorCode::kUnavailable);
  gate.open();
  EXPECT_EQ(running.wait(loop.scope()).value(), 1);
  stopper.join();
  const auto late = bridge.run<int>([](Desk&) -> base::Result<int> { return 3; });
  EXPECT_EQ(
      bridge.run<int>([](Desk&) -> base::Result<int> { return 3; }).wait(loop.scope()).error().code,
      ErrorCode::kUnavailable);
}

TEST(WorkerBridge, DroppedPromiseLeavesOutWorkThatHasNotBegun) {
  UvLoop loop;
  Gate gate;
  std::atomic<int> ran{0};
  Bridge bridge(makeDesk, {.threads = 1, .queueLimit = 10});
  {
    auto running = bridge.run<int>([&gate, &ran](Desk&) -> base::Result<int> {
      gate.pass();
      return ++ran;
    });
    gate.waitUntilEntered();
    auto waiting = bridge.run<int>([&ran](Desk&) -> base::Result<int> { return ran += 100; });
  }
  gate.open();
  EXPECT_EQ(bridge.run<int>([&ran](Desk&) -> base::Result<int> { return ran.load(); })
                .wait(loop.scope())
                .value(),
            1);
}

TEST(WorkerBridge, PromisesDroppedAtAnyMomentDoNoHarm) {
  UvLoop loop;
  Bridge bridge(makeDesk, {.threads = 2, .queueLimit = 10'000});
  for (int round = 0; round < 200; ++round) {
    std::vector<kj::Promise<base::Result<std::string>>> promises;
    for (int i = 0; i < 20; ++i) {
      promises.push_back(bridge.run<std::string>(
          [](Desk&) -> base::Result<std::string> { return std::string(100, 'x'); }));
    }
    promises[static_cast<std::size_t>(round % 20)].wait(loop.scope()).value();
  }
}

TEST(WorkerBridge, OutlivesItsLoop) {
  auto bridge = std::make_unique<Bridge>(makeDesk, WorkerBridgeConfig{1, 10});
  Gate gate;
  {
    UvLoop loop;
    auto dropped = bridge->run<int>([&gate](Desk&) -> base::Result<int> {
      gate.pass();
      return 1;
    });
    gate.waitUntilEntered();
  }
  gate.open();
  bridge.reset();
}

}  // namespace
}  // namespace fleetmark::rpc
