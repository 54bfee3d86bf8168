#include "coordinator/identity/authority_files.h"

#include "common/base/random.h"
#include "common/platform/files.h"

namespace fleetmark::coordinator::identity {

namespace {

constexpr std::size_t kMaxPem = 64 * 1024;
constexpr auto kAuthorityLifetime = std::chrono::hours(24 * 3650);
constexpr auto kLifetime = std::chrono::hours(24 * 365);
constexpr auto kRenewBefore = std::chrono::hours(24 * 30);
constexpr auto kClockSlack = std::chrono::hours(24);  // machines whose clock is behind
// In every coordinator's certificate; clients check it instead of a host name, see
// common/rpc/peer_identity.h.
constexpr std::string_view kCoordinatorName = "fleetmark-coordinator";

// Finds a damaged key when it is loaded, not at the first handshake.
base::Status checkKey(const std::string& file, const std::string& keyPem) {
  auto request = crypto::makeRequestPem(keyPem, "check");
  if (!request) return base::invalid(file + ": " + request.error().message);
  return {};
}

base::Result<crypto::CertificateAuthority> loadAuthority(const std::string& pki,
                                                         const base::Clock& clock) {
  crypto::CertificateAuthority authority;
  std::string certificateFile = pki + "/ca.pem";
  std::string keyFile = pki + "/ca.key";
  bool certificate = platform::exists(certificateFile);
  bool key = platform::exists(keyFile);
  if (certificate != key) {
    return base::invalid("of the fleet's authority only " +
                         (certificate ? certificateFile : keyFile) +
                         " is there; bring the other file back, or remove it to make a new fleet");
  }
  if (certificate) {
    FM_TRY_ASSIGN(authority.certificatePem, platform::readFile(certificateFile, kMaxPem));
    FM_TRY_ASSIGN(authority.keyPem, platform::readFile(keyFile, kMaxPem));
    auto info = crypto::describe(authority.certificatePem);
    if (!info) return base::invalid(certificateFile + ": " + info.error().message);
    FM_TRY(checkKey(keyFile, authority.keyPem));
    return authority;
  }
  FM_TRY_ASSIGN(authority, crypto::makeCa("fleetmark fleet", {clock.wall() - kClockSlack,
                                                              clock.wall() + kAuthorityLifetime}));
  FM_TRY(platform::writePrivateFile(keyFile, authority.keyPem));
  FM_TRY(platform::writePrivateFile(certificateFile, authority.certificatePem));
  return authority;
}

struct Wanted {
  std::string role;
  std::string name;
  crypto::CertificateUse use;
  std::string dnsName;
};

base::Result<ports::Credential> describeCredential(const std::string& certificatePem,
                                                   const Wanted& wanted) {
  FM_TRY_ASSIGN(auto info, crypto::describe(certificatePem));
  ports::Credential credential;
  credential.serial = info.serialHex;
  credential.role = wanted.role;
  auto first = info.commonName.find(':');
  auto last = info.commonName.rfind(':');
  if (first == std::string::npos || first == last) {
    return base::invalid("the certificate's name '" + info.commonName + "' is not fleetmark's");
  }
  credential.subject = info.commonName.substr(first + 1, last - first - 1);
  credential.name = wanted.name;
  credential.expiresAt = info.notAfter;
  return credential;
}

// True when the certificate in `folder` was signed by another authority than the fleet's of today.
bool ofAnotherAuthority(const std::string& folder, const crypto::CertificateAuthority& authority) {
  auto signedBy = platform::readFile(folder + "/ca.pem", kMaxPem);
  return signedBy && *signedBy != authority.certificatePem;
}

// Loads the certificate in `folder`, or makes one when there is none, it ends soon or the fleet has
// another authority now.
base::Result<KeyedCertificate> loadOrIssue(const std::string& folder,
                                           const crypto::CertificateAuthority& authority,
                                           const Wanted& wanted, const base::Clock& clock) {
  KeyedCertificate out;
  FM_TRY(platform::makePrivateFolder(folder));
  std::string certificateFile = folder + "/certificate.pem";
  if (platform::exists(certificateFile)) {
    FM_TRY_ASSIGN(out.certificatePem, platform::readFile(certificateFile, kMaxPem));
    FM_TRY_ASSIGN(out.keyPem, platform::readFile(folder + "/key.pem", kMaxPem));
    auto info = crypto::describe(out.certificatePem);
    if (!info) return base::invalid(certificateFile + ": " + info.error().message);
    FM_TRY(checkKey(folder + "/key.pem", out.keyPem));
    if (info->notAfter - kRenewBefore > clock.wall() && !ofAnotherAuthority(folder, authority)) {
      return out;
    }
  }
  FM_TRY_ASSIGN(out.keyPem, crypto::makeKeyPem());
  FM_TRY_ASSIGN(auto request, crypto::makeRequestPem(out.keyPem, wanted.name));
  crypto::SignSpec spec;
  spec.serialHex = crypto::newSerialHex();
  spec.commonName = wanted.role + ":" + base::newUuid().toString() + ":" + spec.serialHex;
  spec.validity = {clock.wall() - kClockSlack, clock.wall() + kLifetime};
  spec.use = wanted.use;
  spec.dnsName = wanted.dnsName;
  FM_TRY_ASSIGN(auto signedCertificate, crypto::signRequest(authority, request, spec));
  out.certificatePem = signedCertificate.certificatePem;
  FM_TRY(platform::writePrivateFile(folder + "/key.pem", out.keyPem));
  FM_TRY(platform::writePrivateFile(folder + "/ca.pem", authority.certificatePem));
  FM_TRY(platform::writePrivateFile(certificateFile, out.certificatePem));
  return out;
}

}  // namespace

base::Result<FleetIdentity> loadOrCreate(const std::string& dataFolder, const base::Clock& clock) {
  FleetIdentity out;
  std::string pki = dataFolder + "/pki";
  FM_TRY(platform::makePrivateFolder(pki));
  FM_TRY_ASSIGN(out.authority, loadAuthority(pki, clock));

  Wanted coordinator{"coordinator", "coordinator", crypto::CertificateUse::kServer,
                     std::string(kCoordinatorName)};
  FM_TRY_ASSIGN(out.coordinator,
                loadOrIssue(pki + "/coordinator", out.authority, coordinator, clock));
  Wanted admin{"operator", "first-operator", crypto::CertificateUse::kClient, ""};
  out.operatorFolder = pki + "/operator";
  FM_TRY_ASSIGN(auto adminCertificate,
                loadOrIssue(out.operatorFolder, out.authority, admin, clock));

  FM_TRY_ASSIGN(auto coordinatorCredential,
                describeCredential(out.coordinator.certificatePem, coordinator));
  FM_TRY_ASSIGN(auto adminCredential, describeCredential(adminCertificate.certificatePem, admin));
  out.credentials = {coordinatorCredential, adminCredential};
  return out;
}

}  // namespace fleetmark::coordinator::identity
