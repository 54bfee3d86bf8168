// Serves schema/agent.capnp to one agent's connection: decode, run a service on a worker, encode.
#pragma once

#include "common/base/ids.h"
#include "coordinator/rpc/gateway_context.h"
#include "schema/agent.capnp.h"

namespace fleetmark::coordinator::rpc {

// `agent` comes from the certificate of the connection.
schema::AgentGateway::Client makeAgentGateway(GatewayContext& context, base::AgentId agent);

}  // namespace fleetmark::coordinator::rpc
