// Ends of attempts that come while others are being stored are stored together: with a hundred
// agents that is one transaction for dozens of them. An end that comes alone waits for nothing.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "common/base/result.h"
#include "coordinator/rpc/change_signal.h"
#include "coordinator/rpc/worker_context.h"
#include "coordinator/service/ingest.h"

namespace fleetmark::coordinator::rpc {

// Loop thread; outlives its promises.
class EndCollector {
 public:
  using Reply = base::Result<service::IngestReply>;

  // Both signals are raised once a batch.
  EndCollector(Bridge& work, kj::Timer& timer, kj::TaskSet& background, ChangeSignal& newEvents,
               ChangeSignal& workReady, const service::Settings& settings);
  KJ_DISALLOW_COPY(EndCollector);

  // Who drops the promise before its batch has begun isn't waited for. kOverloaded: too many wait.
  kj::Promise<Reply> store(service::Delivery delivery);

 private:
  struct Waiting {
    service::Delivery delivery;
    kj::Own<kj::PromiseFulfiller<Reply>> fulfiller;
  };

  void look();
  kj::Promise<void> storeBatch(std::uint64_t number, std::vector<Waiting> batch);
  void forget(std::uint64_t number);

  Bridge& work_;
  kj::Timer& timer_;
  kj::TaskSet& background_;
  ChangeSignal& newEvents_;
  ChangeSignal& workReady_;
  const service::Settings& settings_;
  std::deque<Waiting> waiting_;
  std::uint64_t lastBatch_ = 0;
  std::uint64_t current_ = 0;  // the batch that the next one waits for; 0: none
  std::size_t running_ = 0;    // batches
};

}  // namespace fleetmark::coordinator::rpc
