// The agent's port to its coordinator, over RPC.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/core/coordinator_port.h"
#include "common/base/clock.h"
#include "common/base/result.h"

namespace fleetmark::agent::rpc {

struct ClientOptions {
  std::vector<std::string> coordinators;  // host:port
  std::string caPem;
  std::string certificatePem;
  std::string keyPem;                                // secret
  base::Nanos callLimit = std::chrono::seconds(20);  // of one call, connecting included
};

// `clock` must outlive the client. kInvalid: an address or the certificates can't be read.
base::Result<std::unique_ptr<core::CoordinatorPort>> makeCoordinatorClient(
    const ClientOptions& options, const base::Clock& clock);

}  // namespace fleetmark::agent::rpc
