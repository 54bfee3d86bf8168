// Agents come, are heard of, and go.
#pragma once

#include <vector>

#include "common/base/result.h"
#include "common/model/work.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::service {

base::Result<ports::Registration> registerAgent(ports::Database& database,
                                                const model::AgentHello& hello);
base::Status agentDisconnected(ports::Database& database, const ports::Registration& who);
base::Result<std::vector<ports::AgentView>> listAgents(ports::Database& database,
                                                       const Settings& settings);

// `agent`: a name or an id. Once more is as good as once. The agent as it is afterwards.
base::Result<ports::AgentView> setAgent(ports::Database& database, const Settings& settings,
                                        const std::string& agent, ports::AgentWish wish);

}  // namespace fleetmark::coordinator::service
