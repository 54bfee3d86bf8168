#include "coordinator/cli/enrolment.h"

#include "common/crypto/certificate.h"
#include "common/platform/files.h"

namespace fleetmark::coordinator::cli {

base::Result<std::string> enrollInto(ports::OperatorPort& port, ports::Role role,
                                     const std::string& name, const std::string& folder) {
  if (platform::exists(folder + "/certificate.pem") || platform::exists(folder + "/key.pem")) {
    return base::conflict("the folder " + folder +
                          " holds an identity already; choose another, or remove it first");
  }
  FM_TRY_ASSIGN(std::string key, crypto::makeKeyPem());
  FM_TRY_ASSIGN(std::string request, crypto::makeRequestPem(key, name));
  FM_TRY_ASSIGN(auto enrolment, port.enroll(role, name, request));
  FM_TRY(platform::makePrivateFolder(folder));
  FM_TRY(platform::writePrivateFile(folder + "/key.pem", key));
  FM_TRY(platform::writePrivateFile(folder + "/ca.pem", enrolment.caPem));
  FM_TRY(platform::writePrivateFile(folder + "/certificate.pem", enrolment.certificatePem));
  return enrolment.subject;
}

}  // namespace fleetmark::coordinator::cli
