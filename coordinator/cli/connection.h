// How the command finds its coordinator: flags, else environment, else the user's config folder,
// else a coordinator on this machine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "coordinator/ports/operator_port.h"

namespace fleetmark::coordinator::cli {

struct ConnectionFlags {
  std::vector<std::string> coordinators;  // --coordinator, FLEETMARK_COORDINATOR (comma separated)
  std::string identity;                   // --identity, FLEETMARK_IDENTITY: folder
};

struct Connection {
  std::vector<std::string> coordinators;
  std::string caPem;
  std::string certificatePem;
  std::string keyPem;  // secret
};

inline constexpr std::string_view kDefaultCoordinator = "127.0.0.1:7300";

// Reads certificate.pem, key.pem and ca.pem from the identity folder. kNotFound names the folders
// that were looked at and what to do.
base::Result<Connection> resolveConnection(const ConnectionFlags& flags);
base::Result<Connection> readIdentity(const std::string& folder,
                                      std::vector<std::string> coordinators);

using Connect =
    std::function<base::Result<std::unique_ptr<ports::OperatorPort>>(const Connection&)>;

}  // namespace fleetmark::coordinator::cli
