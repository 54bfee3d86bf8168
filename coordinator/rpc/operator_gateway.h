// Serves schema/operator.capnp to one operator's connection: decode, run a service on a worker,
// encode.
#pragma once

#include <string>

#include "coordinator/rpc/gateway_context.h"
#include "schema/operator.capnp.h"

namespace fleetmark::coordinator::rpc {

// `who` stands in what the operator submits.
schema::OperatorGateway::Client makeOperatorGateway(GatewayContext& context, std::string who);

}  // namespace fleetmark::coordinator::rpc
