// The fleet's own small certificate authority: P-256 keys, X.509 v3, SHA-256 signatures.
//
// Private keys are PKCS#8 PEM text without a password: callers keep them in private files and out
// of logs. Pure functions, safe on any thread.
#pragma once

#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/result.h"

namespace fleetmark::crypto {

struct Validity {
  base::WallTime notBefore;  // whole seconds count, the rest is cut off
  base::WallTime notAfter;
};

struct CertificateAuthority {
  std::string certificatePem;
  std::string keyPem;  // secret
};

// What the holder may be in a TLS handshake (extendedKeyUsage).
enum class CertificateUse { kServer, kClient };

struct SignSpec {
  std::string commonName;  // 1 to 64 printable ASCII characters; the whole subject
  std::string serialHex;   // of newSerialHex(); it is here because the name may contain it
  Validity validity;
  CertificateUse use = CertificateUse::kClient;
  std::string dnsName;  // subjectAltName; needed with kServer, empty with kClient
};

struct CertificateInfo {
  std::string commonName;  // empty: none
  std::string issuer;      // the issuer's common name
  std::string serialHex;   // lower case, an even number of digits
  base::WallTime notBefore;
  base::WallTime notAfter;
};

struct SignedCertificate {
  std::string certificatePem;
  std::string serialHex;
};

// 14 random hexadecimal digits (56 bits), never zero: short enough to stand in a common name
// beside a UUID.
std::string newSerialHex();

// Self-signed, may sign only end entities (pathlen 0). kInvalid: name or validity.
base::Result<CertificateAuthority> makeCa(std::string_view name, const Validity& validity);
base::Result<std::string> makeKeyPem();
// A PKCS#10 request that proves the possession of the key. The name is a wish of the asker, for
// people to read. kInvalid: the key can't be read, or the name.
base::Result<std::string> makeRequestPem(std::string_view keyPem, std::string_view name);

// Signs the request's public key, and nothing else of the request: the subject, the extensions and
// the dates come from the spec. kInvalid: not a request, its own signature is wrong, its key isn't
// P-256, or the spec is malformed; kInternal: the CA's certificate and key do not fit.
base::Result<SignedCertificate> signRequest(const CertificateAuthority& ca,
                                            std::string_view requestPem, const SignSpec& spec);

// kInvalid: not a PEM certificate.
base::Result<CertificateInfo> describe(std::string_view certificatePem);

}  // namespace fleetmark::crypto
