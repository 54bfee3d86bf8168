#include "tests/common/rpc/test_fleet.h"

namespace fleetmark::rpc {
namespace {

crypto::Validity validUntil(std::chrono::seconds end) {
  const base::WallTime now = base::SystemClock().wall();
  return {now - std::chrono::hours(24), now + end};
}

std::string nameOf(PeerRole role, const std::string& id) {
  return formatCommonName(role, id, crypto::newSerialHex()).value();
}

}  // namespace

TestFleet::TestFleet()
    : ca_(crypto::makeCa("fleetmark test CA", validUntil(std::chrono::hours(23))).value()) {}

TlsIdentity TestFleet::custom(const std::string& commonName, crypto::CertificateUse use,
                              std::chrono::seconds end) const {
  const std::string key = crypto::makeKeyPem().value();
  const std::string request = crypto::makeRequestPem(key, "wish").value();
  crypto::SignSpec spec;
  spec.commonName = commonName;
  spec.serialHex = crypto::newSerialHex();
  spec.validity = validUntil(end);
  spec.use = use;
  if (use == crypto::CertificateUse::kServer) spec.dnsName = kCoordinatorTlsName;
  return {ca_.certificatePem, crypto::signRequest(ca_, request, spec).value().certificatePem, key};
}

TlsIdentity TestFleet::coordinator() const {
  return custom(nameOf(PeerRole::kCoordinator, "main"), crypto::CertificateUse::kServer);
}

TlsIdentity TestFleet::agent(const std::string& id) const {
  return custom(nameOf(PeerRole::kAgent, id), crypto::CertificateUse::kClient);
}

TlsIdentity TestFleet::operatorNamed(const std::string& name) const {
  return custom(nameOf(PeerRole::kOperator, name), crypto::CertificateUse::kClient);
}

}  // namespace fleetmark::rpc
