// The fleet's certificate authority, the coordinator's own certificate and the first operator's, as
// files in the data folder. Made at the first start:
//
//   <data>/pki/ca.pem, ca.key                     the authority; whoever has ca.key is the fleet
//   <data>/pki/coordinator/{certificate,key,ca}.pem
//   <data>/pki/operator/{certificate,key,ca}.pem  for `fleetmark --identity`
//
// Folders are 0700, files 0600. Several coordinators of one fleet share ca.pem and ca.key.
#pragma once

#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/crypto/certificate.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::identity {

struct KeyedCertificate {
  std::string certificatePem;
  std::string keyPem;  // secret
};

struct FleetIdentity {
  crypto::CertificateAuthority authority;
  KeyedCertificate coordinator;
  std::string operatorFolder;
  // What the list of credentials must hold for these files to be of use.
  std::vector<ports::Credential> credentials;
};

// kDenied, kUnavailable: the folder; kInvalid: a file is damaged (its name is in the message).
base::Result<FleetIdentity> loadOrCreate(const std::string& dataFolder, const base::Clock& clock);

}  // namespace fleetmark::coordinator::identity
