// Every way between two processes of the fleet leads through a proxy of its own, so that it can
// fail alone: from each agent and from operators to each coordinator, and from each coordinator to
// each of the two databases.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "tests/chaos/database_pair.h"
#include "tests/chaos/plan.h"
#include "tests/support/tcp_proxy.h"

namespace fleetmark::chaos {

class Links {
 public:
  static constexpr int kOperator = kAgents;  // stands beside the agents

  explicit Links(const DatabasePair& databases);
  // Once its port is known; it stays.
  void openCoordinator(int coordinator, std::uint16_t port);

  // "host:port" of all coordinators, as one agent (or the operator) sees them.
  std::vector<std::string> coordinators(int agent) const;
  // The connection string of a coordinator.
  std::string database(int coordinator) const;

  using Change = std::function<void(support::TcpProxy&)>;
  void ofAgent(int agent, const Change& change);
  void ofCoordinator(int coordinator, const Change& change);
  void ofDatabase(int coordinator, const Change& change);
  void healAll();

 private:
  using Proxy = std::unique_ptr<support::TcpProxy>;
  std::array<std::array<Proxy, kCoordinators>, kAgents + 1> toCoordinators_;
  std::array<std::array<Proxy, DatabasePair::kSlots>, kCoordinators> toDatabases_;
};

}  // namespace fleetmark::chaos
