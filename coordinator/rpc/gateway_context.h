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
#include "coordinator/ports/operator_port.h"
#include "coordinator/ports/store.h"
#include "coordinator/rpc/change_signal.h"
#include "coordinator/rpc/end_collector.h"
#include "coordinator/rpc/work_dispatcher.h"
#include "coordinator/rpc/worker_context.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::rpc {

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
  ChangeSignal changedHere{nullptr};     // other coordinators are told, see Announcer
  ChangeSignal workReady{&changedHere};  // perhaps there is work
  ChangeSignal newEvents{&changedHere};  // perhaps a campaign has new events
  ProgressBoard progress{};
  WorkDispatcher dispatcher{work, timer, background, workReady, newEvents, settings};
  EndCollector ends{work, timer, background, newEvents, workReady, settings};
};

}  // namespace fleetmark::coordinator::rpc
