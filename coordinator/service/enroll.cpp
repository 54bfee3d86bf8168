#include "coordinator/service/enroll.h"

#include "common/base/random.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

constexpr auto kLifetime = std::chrono::hours(24 * 365);
constexpr auto kClockSlack = std::chrono::hours(24);  // machines whose clock is behind

base::Status checkName(const std::string& name) {
  bool good = !name.empty() && name.size() <= 63;
  for (char c : name) {
    good &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            c == '-' || c == '_' || c == '.';
  }
  if (good) return {};
  return base::invalid("the name '" + name.substr(0, 80) +
                       "' must have 1 to 63 letters, digits, '-', '_' or '.'");
}

std::string_view word(ports::Role role) {
  switch (role) {
    case ports::Role::kAgent:
      return "agent";
    case ports::Role::kOperator:
      return "operator";
  }
  return "agent";
}

}  // namespace

base::Result<ports::Enrolment> enroll(ports::Database& database,
                                      const crypto::CertificateAuthority& authority,
                                      const base::Clock& clock, ports::Role role,
                                      const std::string& name, const std::string& requestPem) {
  FM_TRY(checkName(name));
  std::string subject = base::newUuid().toString();
  crypto::SignSpec spec;
  spec.serialHex = crypto::newSerialHex();
  spec.commonName = std::string(word(role)) + ":" + subject + ":" + spec.serialHex;
  spec.validity = {clock.wall() - kClockSlack, clock.wall() + kLifetime};
  spec.use = crypto::CertificateUse::kClient;
  FM_TRY_ASSIGN(auto signedCertificate, crypto::signRequest(authority, requestPem, spec));
  ports::Credential credential;
  credential.serial = spec.serialHex;
  credential.role = word(role);
  credential.subject = subject;
  credential.name = name;
  credential.expiresAt = spec.validity.notAfter;
  FM_TRY(inUnit(database, ports::Durability::kSynchronous,
                [&](ports::UnitOfWork& unit) { return unit.credentials().insert(credential); }));
  return ports::Enrolment{signedCertificate.certificatePem, authority.certificatePem, subject};
}

base::Status authorise(ports::Database& database, const base::Clock& clock, const std::string& role,
                       const std::string& serial) {
  FM_TRY_ASSIGN(auto credential,
                inUnit(database, ports::Durability::kRelaxed, [&serial](ports::UnitOfWork& unit) {
                  return unit.credentials().find(serial);
                }));
  if (!credential || credential->role != role) {
    return base::denied("the certificate " + serial + " is not in this fleet's list as " + role);
  }
  if (credential->revoked) {
    return base::denied("the certificate " + serial + " was revoked; ask for a new one");
  }
  if (credential->expiresAt && *credential->expiresAt <= clock.wall()) {
    return base::denied("the certificate " + serial + " has expired; ask for a new one");
  }
  return {};
}

}  // namespace fleetmark::coordinator::service
