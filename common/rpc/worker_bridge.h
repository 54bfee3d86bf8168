// The bridge between the loop thread and blocking code: RPC methods decode, run a service here,
// encode. It alone knows both promises and threads.
//
//   WorkerBridge<Services> bridge(makeServices, {.threads = 4, .queueLimit = 256});
//   bridge.run<CampaignId>([request](Services& s) { return s.submit(request); })
//       .then([context](base::Result<CampaignId> id) mutable { encode(id, context); });
//
// Each worker thread owns one Context (a database connection and the services on it), made by the
// factory on that thread at its first work.
#pragma once

#include <kj/async.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/result.h"

namespace fleetmark::rpc {

struct WorkerBridgeConfig {
  std::size_t threads = 4;
  std::size_t queueLimit = 256;  // waiting, not counting what runs
};

// The untyped half: threads and queue. Use WorkerBridge.
class WorkerPool {
 public:
  // One piece of work. Exactly one of execute() and abandon() is called, once.
  class Work {
   public:
    virtual ~Work() noexcept(false) = default;
    virtual bool wanted() const = 0;          // false: nobody waits for it any more
    virtual void execute(void* context) = 0;  // may throw
    virtual void abandon(base::Error error) = 0;
  };
  using Factory = std::function<std::shared_ptr<void>()>;

  WorkerPool(Factory factory, WorkerBridgeConfig config);
  ~WorkerPool();  // stop()
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Any thread. kOverloaded: the queue is full; kUnavailable: stopped.
  base::Status submit(std::unique_ptr<Work> work);
  std::size_t queued() const;
  // Abandons what waits, lets what runs end, joins the threads. Blocks; idempotent.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Runs the work and turns an exception that escapes it into kInternal, whose message carries a
// random id that is in the log beside the exception's text.
base::Error reportEscaped(const char* what);

template <typename Context>
class WorkerBridge {
 public:
  using Factory = std::function<std::unique_ptr<Context>()>;  // null or throws: kUnavailable

  WorkerBridge(Factory factory, WorkerBridgeConfig config)
      : pool_([factory = std::move(factory)]() -> std::shared_ptr<void> { return factory(); },
              config) {}

  // On the loop thread; the promise is fulfilled there and may be dropped at any moment (work that
  // has not begun is then left out; work that runs ends by itself). fn runs on a worker, so it owns
  // or shares what it uses and holds no KJ handle. kOverloaded: the queue is full; kUnavailable:
  // stopped, or no context could be made; kInternal: fn threw.
  template <typename T, typename Fn>
  kj::Promise<base::Result<T>> run(Fn fn) {
    auto pair = kj::newPromiseAndCrossThreadFulfiller<base::Result<T>>();
    base::Status accepted =
        pool_.submit(std::make_unique<TypedWork<T, Fn>>(kj::mv(pair.fulfiller), std::move(fn)));
    if (!accepted) return base::Result<T>(accepted.error());
    return kj::mv(pair.promise);
  }

  std::size_t queued() const { return pool_.queued(); }
  void stop() { pool_.stop(); }

 private:
  template <typename T, typename Fn>
  class TypedWork final : public WorkerPool::Work {
   public:
    TypedWork(kj::Own<kj::CrossThreadPromiseFulfiller<base::Result<T>>> fulfiller, Fn fn)
        : fulfiller_(kj::mv(fulfiller)), fn_(std::move(fn)) {}

    bool wanted() const override { return fulfiller_->isWaiting(); }
    void execute(void* context) override {
      base::Result<T> result = fn_(*static_cast<Context*>(context));
      fulfiller_->fulfill(std::move(result));
    }
    void abandon(base::Error error) override {
      fulfiller_->fulfill(base::Result<T>(std::move(error)));
    }

   private:
    kj::Own<kj::CrossThreadPromiseFulfiller<base::Result<T>>> fulfiller_;
    Fn fn_;
  };

  WorkerPool pool_;
};

}  // namespace fleetmark::rpc
