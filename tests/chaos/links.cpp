#include "tests/chaos/links.h"

namespace fleetmark::chaos {

Links::Links(const DatabasePair& databases) {
  for (auto& ways : toDatabases_) {
    for (int slot = 0; slot < DatabasePair::kSlots; ++slot) {
      ways[slot] =
          std::make_unique<support::TcpProxy>(support::ProxyTarget{0, databases.socketPath(slot)});
    }
  }
}

void Links::openCoordinator(int coordinator, std::uint16_t port) {
  for (auto& ways : toCoordinators_) {
    ways[coordinator] = std::make_unique<support::TcpProxy>(port);
  }
}

std::vector<std::string> Links::coordinators(int agent) const {
  std::vector<std::string> out;
  for (const auto& way : toCoordinators_[agent]) {
    if (way) out.push_back(way->address());
  }
  return out;
}

std::string Links::database(int coordinator) const {
  std::string hosts;
  std::string ports;
  for (const auto& way : toDatabases_[coordinator]) {
    hosts += (hosts.empty() ? "" : ",") + std::string("127.0.0.1");
    ports += (ports.empty() ? "" : ",") + std::to_string(way->port());
  }
  return "host=" + hosts + " port=" + ports +
         " user=fleetmark dbname=fleetmark target_session_attrs=read-write connect_timeout=3";
}

void Links::ofAgent(int agent, const Change& change) {
  for (auto& way : toCoordinators_[agent]) {
    if (way) change(*way);
  }
}

void Links::ofCoordinator(int coordinator, const Change& change) {
  for (auto& ways : toCoordinators_) {
    if (ways[coordinator]) change(*ways[coordinator]);
  }
}

void Links::ofDatabase(int coordinator, const Change& change) {
  for (auto& way : toDatabases_[coordinator]) change(*way);
}

void Links::healAll() {
  auto pass = [](support::TcpProxy& proxy) { proxy.pass(); };
  for (int agent = 0; agent <= kAgents; ++agent) ofAgent(agent, pass);
  for (int coordinator = 0; coordinator < kCoordinators; ++coordinator) {
    ofDatabase(coordinator, pass);
  }
}

}  // namespace fleetmark::chaos
