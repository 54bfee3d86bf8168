#include "common/rpc/tls.h"

#include <kj/debug.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "common/rpc/kj_compat.h"
#include "common/rpc/kj_error.h"
#include "common/rpc/peer_identity.h"
#include "common/rpc/tls_memory.h"

namespace fleetmark::rpc {
namespace {

TlsPeer toPeer(kj::AuthenticatedStream&& stream) {
  auto& identity = kj::downcast<kj::TlsPeerIdentity>(*stream.peerIdentity);
  KJ_REQUIRE(identity.hasCertificate(), "the peer showed no certificate");
  const kj::String name = identity.getCommonName();
  return TlsPeer{kj::mv(stream.stream), std::string(name.begin(), name.size())};
}

int refusePassword(char*, int, int, void*) { return 0; }

// kj-tls finds a key that isn't the certificate's only in the handshake.
base::Status checkPair(const TlsIdentity& identity) {
  const auto bio = [](const std::string& pem) {
    return std::unique_ptr<BIO, void (*)(BIO*)>(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free_all);
  };
  const auto certificateBio = bio(identity.certificatePem);
  const auto keyBio = bio(identity.keyPem);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      PEM_read_bio_X509(certificateBio.get(), nullptr, refusePassword, nullptr), X509_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      PEM_read_bio_PrivateKey(keyBio.get(), nullptr, refusePassword, nullptr), EVP_PKEY_free);
  const bool readable = certificate != nullptr && key != nullptr;
  const bool fits = readable && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!readable) {
    return base::invalid("TLS identity: the certificate or the key is not PEM; enrol again");
  }
  if (!fits) {
    return base::invalid("TLS identity: the key is not the certificate's; enrol again");
  }
  return {};
}

}  // namespace

base::Result<kj::Own<TlsEndpoint>> TlsEndpoint::make(const TlsIdentity& identity) {
  FM_TRY(checkPair(identity));
  releaseIdleTlsBuffers();
  try {
    const kj::TlsKeypair pair{kj::TlsPrivateKey(kj::StringPtr(identity.keyPem.c_str())),
                              kj::TlsCertificate(kj::StringPtr(identity.certificatePem.c_str()))};
    const kj::TlsCertificate authority(kj::StringPtr(identity.caPem.c_str()));
    kj::TlsContext::Options options;
    options.useSystemTrustStore = false;
    options.verifyClients = true;
    options.trustedCertificates = kj::arrayPtr(&authority, 1);
    options.minVersion = tls13();
    options.defaultKeypair = pair;
    return kj::heap<TlsEndpoint>(makeTlsContext(kj::mv(options)));
  } catch (const kj::Exception& e) {
    ERR_clear_error();
    return base::invalid("TLS identity: " + describe(e) +
                         "; check the CA, certificate and key files or enrol again");
  }
}

TlsEndpoint::TlsEndpoint(kj::Own<kj::TlsContext> context) : context_(kj::mv(context)) {}

kj::Promise<TlsPeer> TlsEndpoint::accept(kj::Own<kj::AsyncIoStream> stream) {
  return context_
      ->wrapServer(kj::AuthenticatedStream{kj::mv(stream), kj::UnknownPeerIdentity::newInstance()})
      .then([](kj::AuthenticatedStream&& done) { return toPeer(kj::mv(done)); });
}

kj::Promise<TlsPeer> TlsEndpoint::connect(kj::Own<kj::AsyncIoStream> stream) {
  static const kj::StringPtr name(kCoordinatorTlsName.data(), kCoordinatorTlsName.size());
  return context_
      ->wrapClient(kj::AuthenticatedStream{kj::mv(stream), kj::UnknownPeerIdentity::newInstance()},
                   name)
      .then([](kj::AuthenticatedStream&& done) { return toPeer(kj::mv(done)); });
}

}  // namespace fleetmark::rpc
