#pragma once

#include <string>

namespace fleetmark::rpc {

// What one end shows and trusts, as PEM text. keyPem is secret: never logged.
struct TlsIdentity {
  std::string caPem;           // the only authority trusted; the system's store is not used
  std::string certificatePem;  // this end's own, leaf first
  std::string keyPem;
};

}  // namespace fleetmark::rpc
