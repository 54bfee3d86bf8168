// Agents, their hosts and environments. Private to this folder.
#pragma once

#include <vector>

#include "coordinator/ports/store.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

class PostgresAgentStore final : public ports::AgentStore {
 public:
  explicit PostgresAgentStore(Session& session) : session_(session) {}
  base::Result<ports::Registration> registerAgent(const model::AgentHello& hello) override;
  // kConflict: the agent has registered again since, so this session is over. kNotFound.
  base::Status heartbeat(const base::AgentId& agent, std::int64_t session) override;
  // Of an older session: nothing happens.
  base::Status disconnected(const base::AgentId& agent, std::int64_t session) override;
  base::Result<std::vector<ports::AgentView>> list(base::Nanos window) override;
  base::Result<base::AgentId> resolve(const std::string& ref) override;
  base::Result<ports::AgentView> view(const base::AgentId& agent, base::Nanos window) override;
  base::Status set(const base::AgentId& agent, ports::AgentWish wish) override;
  base::Status setFastFailures(const base::AgentId& agent, std::int32_t count) override;
  base::Result<std::int32_t> quarantine(const ports::Quarantine& quarantine) override;

 private:
  Session& session_;
};

}  // namespace fleetmark::coordinator::store
