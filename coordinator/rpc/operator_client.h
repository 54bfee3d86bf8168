// OperatorPort over RPC: what the fleetmark command uses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coordinator/ports/operator_port.h"

namespace fleetmark::coordinator::rpc {

struct OperatorClientOptions {
  std::vector<std::string> coordinators;  // host:port
  std::string caPem;
  std::string certificatePem;
  std::string keyPem;
  base::Nanos timeLimit = std::chrono::seconds(30);  // of one call, connecting included
  // How long coordinators that can't be reached, or can't reach their database, are tried.
  base::Nanos patience = std::chrono::seconds(4);
};

// kInvalid: an address or the certificates can't be read. Connects at the first call.
base::Result<std::unique_ptr<ports::OperatorPort>> makeOperatorClient(
    const OperatorClientOptions& options);

}  // namespace fleetmark::coordinator::rpc
