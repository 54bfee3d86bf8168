#include "common/rpc/worker_bridge.h"

#include <kj/exception.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/check.h"
#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/base/random.h"

namespace fleetmark::rpc {

base::Error reportEscaped(const char* what) {
  const std::string id = base::toHex(base::secureRandomBytes(8));
  base::log(base::LogLevel::kError, "worker.exception", {{"id", id}, {"what", what}});
  return base::internal("internal error " + id +
                        "; the log has it under this id, please report it");
}

struct WorkerPool::State {
  Factory factory;
  WorkerBridgeConfig config;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::unique_ptr<Work>> queue;  // guarded by mutex
  bool stopping = false;                    // guarded by mutex
  std::mutex joining;                       // one stop() at a time joins
  std::vector<std::thread> threads;

  void loop();
  std::shared_ptr<void> makeContext();
  static void runOne(Work& work, void* context);
};

void WorkerPool::State::loop() {
  std::shared_ptr<void> context;
  for (;;) {
    std::unique_ptr<Work> work;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return stopping || !queue.empty(); });
      if (stopping) return;
      work = std::move(queue.front());
      queue.pop_front();
    }
    if (!work->wanted()) continue;
    if (context == nullptr) context = makeContext();
    if (context == nullptr) {
      work->abandon(base::unavailable(
          "a worker could not be set up (see worker.no_context in the log); try again later"));
      continue;
    }
    runOne(*work, context.get());
  }
}

std::shared_ptr<void> WorkerPool::State::makeContext() {
  std::string reason = "the factory returned nothing";
  try {
    if (auto context = factory()) return context;
  } catch (const std::exception& e) {
    reason = e.what();
  } catch (const kj::Exception& e) {
    reason = e.getDescription().cStr();
  } catch (...) {
    reason = "unknown exception";
  }
  base::log(base::LogLevel::kError, "worker.no_context", {{"reason", reason}});
  return nullptr;
}

void WorkerPool::State::runOne(Work& work, void* context) {
  try {
    work.execute(context);
  } catch (const std::exception& e) {
    work.abandon(reportEscaped(e.what()));
  } catch (const kj::Exception& e) {
    work.abandon(reportEscaped(e.getDescription().cStr()));
  } catch (...) {
    work.abandon(reportEscaped("unknown exception"));
  }
}

WorkerPool::WorkerPool(Factory factory, WorkerBridgeConfig config)
    : state_(std::make_unique<State>()) {
  FM_CHECK(config.threads > 0 && config.queueLimit > 0);
  state_->factory = std::move(factory);
  state_->config = config;
  for (std::size_t i = 0; i < config.threads; ++i) {
    state_->threads.emplace_back([state = state_.get()] { state->loop(); });
  }
}

WorkerPool::~WorkerPool() { stop(); }

base::Status WorkerPool::submit(std::unique_ptr<Work> work) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopping) return base::unavailable("shutting down; try again later");
    if (state_->queue.size() >= state_->config.queueLimit) {
      return base::overloaded("too much work at once: " + std::to_string(state_->queue.size()) +
                              " requests wait; try again after a pause");
    }
    state_->queue.push_back(std::move(work));
  }
  state_->changed.notify_one();
  return {};
}

std::size_t WorkerPool::queued() const {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.size();
}

void WorkerPool::stop() {
  std::deque<std::unique_ptr<Work>> left;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    left.swap(state_->queue);
  }
  state_->changed.notify_all();
  for (auto& work : left) work->abandon(base::unavailable("shutting down; try again later"));
  const std::lock_guard lock(state_->joining);
  for (std::thread& thread : state_->threads) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace fleetmark::rpc
