// Gets a certificate for an agent or an operator: the key is made here and stays here.
#pragma once

#include <string>

#include "common/base/result.h"
#include "coordinator/ports/operator_port.h"

namespace fleetmark::coordinator::cli {

// Writes certificate.pem, key.pem and ca.pem (0600) into `folder` (0700). kConflict: the folder
// holds an identity already. Returns the subject's UUID.
base::Result<std::string> enrollInto(ports::OperatorPort& port, ports::Role role,
                                     const std::string& name, const std::string& folder);

}  // namespace fleetmark::coordinator::cli
