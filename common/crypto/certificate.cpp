#include "common/crypto/certificate.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "common/base/check.h"
#include "common/base/hex.h"
#include "common/base/random.h"

namespace fleetmark::crypto {
namespace {

template <auto kFree>
struct Freer {
  template <typename T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freer<X509_free>>;
using RequestPtr = std::unique_ptr<X509_REQ, Freer<X509_REQ_free>>;
using NamePtr = std::unique_ptr<X509_NAME, Freer<X509_NAME_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;
using BigPtr = std::unique_ptr<BIGNUM, Freer<BN_free>>;

constexpr std::size_t kMaxName = 64;             // ub-common-name of RFC 5280
constexpr std::size_t kMaxPemBytes = 64 * 1024;  // a request or certificate has about 1 KiB
constexpr std::size_t kSerialBytes = 7;
constexpr std::size_t kMaxSerialBytes = 20;  // RFC 5280 4.1.2.2

// The library's queue of errors, emptied, as one line.
std::string libraryReason() {
  std::string reason;
  while (const unsigned long code = ERR_get_error()) {
    if (!reason.empty()) continue;
    const char* text = ERR_reason_error_string(code);
    reason = text != nullptr ? text : "error " + std::to_string(code);
  }
  return reason.empty() ? "no reason given" : reason;
}

base::Error failed(std::string_view what) {
  return base::internal("OpenSSL could not " + std::string(what) + ": " + libraryReason());
}

// Without a password callback OpenSSL would ask on the terminal for an encrypted key's password.
int refusePassword(char*, int, int, void*) { return 0; }

BioPtr readBio(std::string_view pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

template <typename Write>
base::Result<std::string> toPem(std::string_view what, Write write) {
  BioPtr bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || write(bio.get()) != 1) return failed("write " + std::string(what));
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

base::Result<KeyPtr> readKey(std::string_view pem) {
  if (pem.size() > kMaxPemBytes) return base::invalid("private key: over 64 KiB");
  ERR_clear_error();
  const BioPtr bio = readBio(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refusePassword, nullptr));
  if (key == nullptr) {
    return base::invalid("private key: not PEM without a password (" + libraryReason() +
                         "); make a new one");
  }
  return key;
}

base::Result<CertificatePtr> readCertificate(std::string_view pem) {
  if (pem.size() > kMaxPemBytes) return base::invalid("certificate: over 64 KiB");
  ERR_clear_error();
  const BioPtr bio = readBio(pem);
  CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, refusePassword, nullptr));
  if (certificate == nullptr) {
    return base::invalid("certificate: not PEM (" + libraryReason() + "); ask for a new one");
  }
  return certificate;
}

base::Result<NamePtr> makeName(std::string_view commonName) {
  const bool printable = std::all_of(commonName.begin(), commonName.end(),
                                     [](char c) { return c >= ' ' && c <= '~'; });
  if (commonName.empty() || commonName.size() > kMaxName || !printable) {
    return base::invalid("certificate name: " + std::to_string(commonName.size()) +
                         " characters given; use 1 to 64 printable ASCII ones");
  }
  NamePtr name(X509_NAME_new());
  if (name == nullptr ||
      X509_NAME_add_entry_by_NID(name.get(), NID_commonName, MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(commonName.data()),
                                 static_cast<int>(commonName.size()), -1, 0) != 1) {
    return failed("make a name");
  }
  return name;
}

base::Status setValidity(X509* certificate, const Validity& validity) {
  const auto seconds = [](base::WallTime time) {
    return static_cast<time_t>(
        std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
  };
  const time_t from = seconds(validity.notBefore);
  const time_t until = seconds(validity.notAfter);
  if (from < 0 || until <= from) {
    return base::invalid("certificate validity: it ends before it begins; give a later end");
  }
  if (ASN1_TIME_set(X509_getm_notBefore(certificate), from) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(certificate), until) == nullptr) {
    return failed("set the dates");
  }
  return {};
}

base::Status setSerial(X509* certificate, std::string_view serialHex) {
  const auto bytes = base::fromHex(serialHex);
  if (!bytes || bytes->empty() || bytes->size() > kMaxSerialBytes || (*bytes)[0] < 0 ||
      std::all_of(bytes->begin(), bytes->end(), [](char c) { return c == 0; })) {
    return base::invalid("certificate serial: must be positive, at most 20 bytes in hex");
  }
  const BigPtr number(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes->data()),
                                static_cast<int>(bytes->size()), nullptr));
  if (number == nullptr ||
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return failed("set the serial");
  }
  return {};
}

base::Status addExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509V3_set_ctx_nodb(&context);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1) {
    return failed("add the extension " + std::string(OBJ_nid2sn(nid)));
  }
  return {};
}

// P-256 and nothing else: one kind of key to test and to trust.
bool isP256(EVP_PKEY* key) {
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_EC) return false;
  char group[32] = {};
  std::size_t size = 0;
  return EVP_PKEY_get_group_name(key, group, sizeof group, &size) == 1 &&
         std::string_view(group, size) == SN_X9_62_prime256v1;
}

std::string commonNameOf(const X509_NAME* name) {
  const int index = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  if (index < 0) return {};
  const ASN1_STRING* data = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index));
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, data);
  if (size < 0) return {};
  std::string out(reinterpret_cast<char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return out;
}

std::optional<base::WallTime> toWall(const ASN1_TIME* time) {
  int days = 0;
  int seconds = 0;
  const std::unique_ptr<ASN1_TIME, Freer<ASN1_TIME_free>> epoch(ASN1_TIME_set(nullptr, 0));
  if (epoch == nullptr || ASN1_TIME_diff(&days, &seconds, epoch.get(), time) != 1) {
    return std::nullopt;
  }
  return base::WallTime(std::chrono::hours(24) * days + std::chrono::seconds(seconds));
}

}  // namespace

std::string newSerialHex() {
  std::string bytes;
  do {
    bytes = base::secureRandomBytes(kSerialBytes);
    bytes[0] = static_cast<char>(bytes[0] & 0x7f);  // the top bit would be a sign
  } while (bytes[0] == 0);                          // a leading zero byte would not be stored
  return base::toHex(bytes);
}

base::Result<std::string> makeKeyPem() {
  ERR_clear_error();
  const KeyPtr key(EVP_EC_gen(SN_X9_62_prime256v1));
  if (key == nullptr) return failed("make a key");
  return toPem("a key", [&key](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

base::Result<CertificateAuthority> makeCa(std::string_view name, const Validity& validity) {
  FM_TRY_ASSIGN(const std::string keyPem, makeKeyPem());
  FM_TRY_ASSIGN(const KeyPtr key, readKey(keyPem));
  FM_TRY_ASSIGN(const NamePtr subject, makeName(name));
  ERR_clear_error();
  const CertificatePtr certificate(X509_new());
  if (certificate == nullptr || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      X509_set_subject_name(certificate.get(), subject.get()) != 1 ||
      X509_set_issuer_name(certificate.get(), subject.get()) != 1 ||
      X509_set_pubkey(certificate.get(), key.get()) != 1) {
    return failed("make a CA certificate");
  }
  FM_TRY(setSerial(certificate.get(), newSerialHex()));
  FM_TRY(setValidity(certificate.get(), validity));
  X509* self = certificate.get();
  FM_TRY(addExtension(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0"));
  FM_TRY(addExtension(self, self, NID_key_usage, "critical,keyCertSign,cRLSign"));
  FM_TRY(addExtension(self, self, NID_subject_key_identifier, "hash"));
  if (X509_sign(self, key.get(), EVP_sha256()) == 0) return failed("sign the CA certificate");
  FM_TRY_ASSIGN(std::string pem,
                toPem("a certificate", [self](BIO* bio) { return PEM_write_bio_X509(bio, self); }));
  return CertificateAuthority{std::move(pem), keyPem};
}

base::Result<std::string> makeRequestPem(std::string_view keyPem, std::string_view name) {
  FM_TRY_ASSIGN(const KeyPtr key, readKey(keyPem));
  FM_TRY_ASSIGN(const NamePtr subject, makeName(name));
  ERR_clear_error();
  const RequestPtr request(X509_REQ_new());
  if (request == nullptr || X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) != 1 ||
      X509_REQ_set_subject_name(request.get(), subject.get()) != 1 ||
      X509_REQ_set_pubkey(request.get(), key.get()) != 1 ||
      X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0) {
    return failed("make a certificate request");
  }
  return toPem("a certificate request",
               [&request](BIO* bio) { return PEM_write_bio_X509_REQ(bio, request.get()); });
}

base::Result<SignedCertificate> signRequest(const CertificateAuthority& ca,
                                            std::string_view requestPem, const SignSpec& spec) {
  if (requestPem.size() > kMaxPemBytes) return base::invalid("certificate request: over 64 KiB");
  const bool server = spec.use == CertificateUse::kServer;
  const bool dnsPlain = std::all_of(spec.dnsName.begin(), spec.dnsName.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  if (server == spec.dnsName.empty() || !dnsPlain) {
    return base::invalid(
        "certificate DNS name: a server needs one of a-z 0-9 - and ., a client has none");
  }

  ERR_clear_error();
  const BioPtr bio = readBio(requestPem);
  const RequestPtr request(PEM_read_bio_X509_REQ(bio.get(), nullptr, refusePassword, nullptr));
  if (request == nullptr) {
    return base::invalid("certificate request: not PEM PKCS#10 (" + libraryReason() +
                         "); make it again");
  }
  EVP_PKEY* requestKey = X509_REQ_get0_pubkey(request.get());
  if (requestKey == nullptr || !isP256(requestKey)) {
    ERR_clear_error();
    return base::invalid("certificate request: its key is not P-256; make a P-256 key");
  }
  if (X509_REQ_verify(request.get(), requestKey) != 1) {
    ERR_clear_error();
    return base::invalid(
        "certificate request: not signed by the key in it; make it again with the right key");
  }

  const auto caCertificate = readCertificate(ca.certificatePem);
  const auto caKey = readKey(ca.keyPem);
  if (!caCertificate || !caKey || X509_check_private_key(caCertificate->get(), caKey->get()) != 1) {
    ERR_clear_error();
    return base::internal("the CA's certificate and key can't be read or do not fit together");
  }
  X509* issuer = caCertificate->get();

  FM_TRY_ASSIGN(const NamePtr subject, makeName(spec.commonName));
  const CertificatePtr certificate(X509_new());
  if (certificate == nullptr || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      X509_set_subject_name(certificate.get(), subject.get()) != 1 ||
      X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer)) != 1 ||
      X509_set_pubkey(certificate.get(), requestKey) != 1) {
    return failed("make a certificate");
  }
  X509* leaf = certificate.get();
  FM_TRY(setSerial(leaf, spec.serialHex));
  FM_TRY(setValidity(leaf, spec.validity));
  FM_TRY(addExtension(leaf, issuer, NID_basic_constraints, "critical,CA:FALSE"));
  FM_TRY(addExtension(leaf, issuer, NID_key_usage, "critical,digitalSignature"));
  FM_TRY(addExtension(leaf, issuer, NID_ext_key_usage,
                      server ? "critical,serverAuth" : "critical,clientAuth"));
  FM_TRY(addExtension(leaf, issuer, NID_subject_key_identifier, "hash"));
  FM_TRY(addExtension(leaf, issuer, NID_authority_key_identifier, "keyid:always"));
  if (server) {
    FM_TRY(addExtension(leaf, issuer, NID_subject_alt_name, "DNS:" + spec.dnsName));
  }
  if (X509_sign(leaf, caKey->get(), EVP_sha256()) == 0) return failed("sign a certificate");
  FM_TRY_ASSIGN(std::string pem,
                toPem("a certificate", [leaf](BIO* out) { return PEM_write_bio_X509(out, leaf); }));
  return SignedCertificate{std::move(pem), spec.serialHex};
}

base::Result<CertificateInfo> describe(std::string_view certificatePem) {
  FM_TRY_ASSIGN(const CertificatePtr certificate, readCertificate(certificatePem));
  CertificateInfo info;
  info.commonName = commonNameOf(X509_get_subject_name(certificate.get()));
  info.issuer = commonNameOf(X509_get_issuer_name(certificate.get()));
  const BigPtr number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate.get()), nullptr));
  if (number == nullptr) return failed("read the serial");
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number.get())), '\0');
  BN_bn2bin(number.get(), reinterpret_cast<unsigned char*>(bytes.data()));
  info.serialHex = base::toHex(bytes);
  const auto notBefore = toWall(X509_get0_notBefore(certificate.get()));
  const auto notAfter = toWall(X509_get0_notAfter(certificate.get()));
  if (!notBefore || !notAfter) {
    ERR_clear_error();
    return base::invalid("certificate: its dates can't be read; ask for a new one");
  }
  info.notBefore = *notBefore;
  info.notAfter = *notAfter;
  return info;
}

}  // namespace fleetmark::crypto
