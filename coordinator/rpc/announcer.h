// Coordinators on one database wake each other through it: what changed here is announced, at most
// ten times a second, and what others announce raises the signals here. Without it everything still
// happens, a look later.
#pragma once

#include <kj/async.h>
#include <kj/function.h>
#include <kj/timer.h>

#include <functional>
#include <memory>
#include <string>

#include "coordinator/rpc/change_signal.h"
#include "coordinator/rpc/worker_context.h"

namespace fleetmark::coordinator::rpc {

class Announcer {
 public:
  using OpenListener = std::function<std::unique_ptr<ports::ChangeListener>()>;

  // On the loop thread. `heard` is called when another coordinator announced something.
  Announcer(Bridge& work, kj::Timer& timer, ChangeSignal& changedHere, OpenListener open,
            kj::Function<void()> heard);
  KJ_DISALLOW_COPY(Announcer);

  // Both run for ever; to be called once.
  kj::Promise<void> announce();
  kj::Promise<void> listen();
  void stop() { listener_.stop(); }

 private:
  struct ListenerContext {
    std::unique_ptr<ports::ChangeListener> listener;
  };

  kj::Promise<void> announceOnce();

  Bridge& work_;
  kj::Timer& timer_;
  ChangeSignal& changedHere_;
  fleetmark::rpc::WorkerBridge<ListenerContext> listener_;
  kj::Function<void()> heard_;
  const std::string self_;
};

}  // namespace fleetmark::coordinator::rpc
