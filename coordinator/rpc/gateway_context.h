// What the gateways of all connections share. Lives on the loop thread; outlives every connection.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/crypto/certificate.h"
#include "common/rpc/worker_bridge.h"
#include "coordinator/ports/operator_port.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::rpc {

// Owned by one worker thread.
struct WorkerContext {
  std::unique_ptr<ports::Database> database;
};
using Bridge = fleetmark::rpc::WorkerBridge<WorkerContext>;

// Wakes everybody who waits for something to have changed. A wake is a hint: whoever is woken looks
// again, and looks from time to time without one (another coordinator may have made the change).
class ChangeSignal {
 public:
  ChangeSignal() { renew(); }
  kj::Promise<void> wait() { return promise_.addBranch(); }
  void raise() {
    auto fulfiller = kj::mv(fulfiller_);
    renew();
    fulfiller->fulfill();
  }

 private:
  void renew() {
    auto pair = kj::newPromiseAndFulfiller<void>();
    fulfiller_ = kj::mv(pair.fulfiller);
    promise_ = pair.promise.fork();
  }

  kj::Own<kj::PromiseFulfiller<void>> fulfiller_;
  kj::ForkedPromise<void> promise_ = kj::Promise<void>(kj::READY_NOW).fork();
};

// What running probes say they do now. A courtesy: bounded, forgotten with this coordinator.
class ProgressBoard {
 public:
  void set(base::StepId step, std::string text) {
    if (lines_.size() >= kMost && lines_.find(step) == lines_.end()) return;
    lines_[step] = std::move(text);
  }
  void erase(base::StepId step) { lines_.erase(step); }
  std::string get(base::StepId step) const {
    auto found = lines_.find(step);
    return found == lines_.end() ? std::string() : found->second;
  }

 private:
  static constexpr std::size_t kMost = 10'000;
  std::unordered_map<base::StepId, std::string> lines_;
};

// Runs on a worker thread.
using ReportRenderer = std::function<base::Result<ports::RenderedReport>(const ports::ReportData&,
                                                                         ports::ReportFormat)>;

struct GatewayContext {
  Bridge& work;  // agents
  Bridge& look;  // operators: a long report never holds up an agent
  kj::Timer& timer;
  kj::TaskSet& background;
  const base::Clock& clock;
  const service::Settings& settings;
  const crypto::CertificateAuthority& authority;
  ReportRenderer render;
  ChangeSignal workReady;  // perhaps there is work
  ChangeSignal newEvents;  // perhaps a campaign has new events
  ProgressBoard progress;
};

}  // namespace fleetmark::coordinator::rpc
