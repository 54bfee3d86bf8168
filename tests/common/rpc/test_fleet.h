// A certificate authority and identities for tests.
#pragma once

#include <chrono>
#include <string>

#include "common/crypto/certificate.h"
#include "common/rpc/peer_identity.h"
#include "common/rpc/tls_identity.h"

namespace fleetmark::rpc {

inline const std::string kAgentA = "3f2c0a4e-8a51-4b8e-9d6d-0c1f5e7a9b01";
inline const std::string kAgentB = "3f2c0a4e-8a51-4b8e-9d6d-0c1f5e7a9b02";

class TestFleet {
 public:
  TestFleet();
  // Of this fleet's CA, valid from an hour ago for a day.
  TlsIdentity coordinator() const;
  TlsIdentity agent(const std::string& id = kAgentA) const;
  TlsIdentity operatorNamed(const std::string& name) const;
  // Anything else: the name as it is, valid until `end` from now.
  TlsIdentity custom(const std::string& commonName, crypto::CertificateUse use,
                     std::chrono::seconds end = std::chrono::hours(23)) const;
  const crypto::CertificateAuthority& ca() const { return ca_; }

 private:
  crypto::CertificateAuthority ca_;
};

}  // namespace fleetmark::rpc
