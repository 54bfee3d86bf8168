#include "coordinator/rpc/end_collector.h"

#include <memory>
#include <utility>

#include "common/rpc/kj_compat.h"

namespace fleetmark::coordinator::rpc {

namespace {

constexpr std::size_t kMostWaiting = 4096;

// A batch that takes longer waits for somebody's lock, most likely; the next one goes beside it.
constexpr auto kSlow = 100 * kj::MILLISECONDS;
constexpr std::size_t kMostBatches = 4;

}  // namespace

EndCollector::EndCollector(Bridge& work, kj::Timer& timer, kj::TaskSet& background,
                           ChangeSignal& newEvents, ChangeSignal& workReady,
                           const service::Settings& settings)
    : work_(work),
      timer_(timer),
      background_(background),
      newEvents_(newEvents),
      workReady_(workReady),
      settings_(settings) {}

kj::Promise<EndCollector::Reply> EndCollector::store(service::Delivery delivery) {
  if (waiting_.size() >= kMostWaiting) {
    return Reply(base::overloaded("too much work at once: " + std::to_string(waiting_.size()) +
                                  " ends of attempts wait; try again after a pause"));
  }
  auto pair = kj::newPromiseAndFulfiller<Reply>();
  waiting_.push_back({std::move(delivery), kj::mv(pair.fulfiller)});
  look();
  return kj::mv(pair.promise);
}

void EndCollector::look() {
  if (waiting_.empty() || current_ != 0 || running_ >= kMostBatches) return;
  const std::uint64_t number = ++lastBatch_;
  current_ = number;
  ++running_;
  // Later: what else has been received in this turn of the loop comes along.
  background_.add(kj::evalLast([this, number]() -> kj::Promise<void> {
    std::vector<Waiting> batch;
    while (!waiting_.empty() && batch.size() < service::kMostTogether) {
      if (waiting_.front().fulfiller->isWaiting()) batch.push_back(kj::mv(waiting_.front()));
      waiting_.pop_front();
    }
    return storeBatch(number, kj::mv(batch));
  }));
}

kj::Promise<void> EndCollector::storeBatch(std::uint64_t number, std::vector<Waiting> batch) {
  using Replies = std::vector<Reply>;
  if (batch.empty()) {
    forget(number);
    return kj::READY_NOW;
  }
  auto deliveries = std::make_shared<std::vector<service::Delivery>>();
  for (auto& each : batch) deliveries->push_back(std::move(each.delivery));
  auto slow = timer_.afterDelay(kSlow)
                  .then([this, number] {
                    if (current_ != number) return;
                    current_ = 0;
                    look();
                  })
                  .eagerlyEvaluate(nullptr);
  return work_
      .run<Replies>(
          [deliveries, settings = settings_](WorkerContext& worker) -> base::Result<Replies> {
            return service::completeEach(*worker.database, settings, *deliveries);
          })
      .then([this, number, batch = kj::mv(batch),
             slow = kj::mv(slow)](base::Result<Replies>&& replies) mutable {
        for (std::size_t i = 0; i < batch.size(); ++i) {
          batch[i].fulfiller->fulfill(replies ? std::move((*replies)[i]) : Reply(replies.error()));
        }
        newEvents_.raise();
        workReady_.raise();  // machines are free, dependants may be ready
        forget(number);
      });
}

void EndCollector::forget(std::uint64_t number) {
  --running_;
  if (current_ == number) current_ = 0;
  look();
}

}  // namespace fleetmark::coordinator::rpc
