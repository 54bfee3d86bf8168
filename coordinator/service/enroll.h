// Agents and operators get certificates; who has one stands in the database.
#pragma once

#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/crypto/certificate.h"
#include "coordinator/ports/operator_port.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// Signs the request for a new subject of that role and stores the credential. The key stays where
// it was made. kInvalid: name or request.
base::Result<ports::Enrolment> enroll(ports::Database& database,
                                      const crypto::CertificateAuthority& authority,
                                      const base::Clock& clock, ports::Role role,
                                      const std::string& name, const std::string& requestPem);

// Ok when the serial stands in the list with this role, not revoked and not expired.
// kDenied says which of these it is not.
base::Status authorise(ports::Database& database, const base::Clock& clock, const std::string& role,
                       const std::string& serial);

}  // namespace fleetmark::coordinator::service
