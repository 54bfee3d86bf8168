#include "coordinator/service/agents.h"

#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

base::Result<ports::Registration> registerAgent(ports::Database& database,
                                                const model::AgentHello& hello) {
  return inUnit(database, ports::Durability::kSynchronous,
                [&hello](ports::UnitOfWork& unit) { return unit.agents().registerAgent(hello); });
}

base::Status agentDisconnected(ports::Database& database, const ports::Registration& who) {
  return inUnit(database, ports::Durability::kRelaxed, [&who](ports::UnitOfWork& unit) {
    return unit.agents().disconnected(who.agent, who.session);
  });
}

base::Result<std::vector<ports::AgentView>> listAgents(ports::Database& database,
                                                       const Settings& settings) {
  return inUnit(database, ports::Durability::kRelaxed, [&settings](ports::UnitOfWork& unit) {
    return unit.agents().list(settings.onlineWindow);
  });
}

base::Result<ports::AgentView> setAgent(ports::Database& database, const Settings& settings,
                                        const std::string& agent, ports::AgentWish wish) {
  return inUnit(database, ports::Durability::kSynchronous,
                [&](ports::UnitOfWork& unit) -> base::Result<ports::AgentView> {
                  FM_TRY_ASSIGN(auto id, unit.agents().resolve(agent));
                  FM_TRY(unit.agents().set(id, wish));
                  return unit.agents().view(id, settings.onlineWindow);
                });
}

}  // namespace fleetmark::coordinator::service
