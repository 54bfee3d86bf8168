// Hands out work to the agents that wait for it: all who wait are served by one transaction after
// the other, so that a thousand idle agents cost one statement a look and a hundred busy ones share
// a commit.
//
// On the loop thread. Looks when it is woken, when an agent comes, and from time to time without
// either (delays end, other coordinators make work).
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "common/base/result.h"
#include "common/model/work.h"
#include "coordinator/rpc/change_signal.h"
#include "coordinator/rpc/worker_context.h"
#include "coordinator/service/settings.h"
#include "coordinator/service/work.h"

namespace fleetmark::coordinator::rpc {

class WorkDispatcher {
 public:
  using Taken = base::Result<std::optional<model::Assignment>>;
  using TakerPtr = std::shared_ptr<const service::Taker>;

  // `handedOut` is raised when steps were handed out. All references outlive it.
  WorkDispatcher(Bridge& work, kj::Timer& timer, kj::TaskSet& background, ChangeSignal& workReady,
                 ChangeSignal& handedOut, const service::Settings& settings);
  KJ_DISALLOW_COPY(WorkDispatcher);

  // To be called once; runs for ever.
  kj::Promise<void> run();

  // One step for the agent, or none at the deadline. When the promise is dropped before, a step
  // that was claimed for it meanwhile goes back at once instead of waiting for its lease to end.
  kj::Promise<Taken> take(TakerPtr taker, kj::TimePoint deadline);

 private:
  class Waiter;
  using Handed = std::vector<service::HandedOut>;

  void look();
  kj::Promise<void> round();
  void deliver(std::vector<std::pair<std::uint64_t, TakerPtr>> asked,
               base::Result<Handed>&& handed);
  void giveBack(const TakerPtr& taker, const model::Assignment& assignment);

  Bridge& work_;
  kj::Timer& timer_;
  kj::TaskSet& background_;
  ChangeSignal& workReady_;
  ChangeSignal& handedOut_;
  const service::Settings& settings_;
  std::map<std::uint64_t, Waiter*> waiting_;  // in the order of their coming
  std::uint64_t lastId_ = 0;
  std::size_t first_ = 0;
  bool looking_ = false;
  bool again_ = false;
};

}  // namespace fleetmark::coordinator::rpc
