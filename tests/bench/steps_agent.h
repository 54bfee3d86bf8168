// An agent without a machine: takes work over a connection of its own, sends one made-up sample of
// the selftest probe and completes, with nothing in between. Loop thread.
#pragma once

#include <kj/async.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/rpc/client_link.h"
#include "common/rpc/tls_identity.h"
#include "common/rpc/uv_event_port.h"

namespace fleetmark::bench {

// What all agents saw since the last reset. Durations are by the agents' clock, the round trip
// included.
struct StepLog {
  std::size_t stored = 0;  // completions that were answered "ok"
  std::optional<base::MonoTime> firstAssigned;
  std::optional<base::MonoTime> lastAssigned;
  std::optional<base::MonoTime> lastStored;
  std::vector<base::Nanos> gaps;  // from a completion's answer to the next assignment
  std::vector<base::Nanos> completions;

  // Done once `stored` is at least `count`.
  kj::Promise<void> whenStored(std::size_t count);
  void noteStored(base::MonoTime at);
  void reset() { *this = StepLog(); }

 private:
  std::size_t awaited_ = 0;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> waiter_;
};

// Connects, registers and works until it is destroyed. Trouble is thrown as kj::Exception out of
// failed().
class SimulatedAgent {
 public:
  SimulatedAgent(rpc::UvLoop& loop, StepLog& log, rpc::TlsIdentity identity, std::string name);
  KJ_DISALLOW_COPY(SimulatedAgent);

  // Done when the agent is registered and has begun to ask for work.
  kj::Promise<void> start(const std::string& coordinator);
  // Never done; rejected when the agent could not go on.
  kj::Promise<void> failed() { return failed_.addBranch(); }

 private:
  kj::Promise<void> registerWith(schema::AgentGateway::Client gateway);
  kj::Promise<void> work();
  kj::Promise<void> doStep(schema::Assignment::Reader assignment);
  kj::Promise<void> heartbeat();

  rpc::UvLoop& loop_;
  StepLog& log_;
  rpc::TlsIdentity identity_;
  std::string name_;
  base::SystemClock clock_;
  std::optional<base::MonoTime> completed_;  // the answer to the last completion
  kj::Own<rpc::TlsEndpoint> tls_;
  kj::Own<rpc::ClientLink> link_;
  kj::Maybe<schema::AgentSession::Client> session_;
  kj::ForkedPromise<void> failed_ = kj::Promise<void>(kj::NEVER_DONE).fork();
};

}  // namespace fleetmark::bench
