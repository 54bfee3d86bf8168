// TLS 1.3 with certificates on both ends, by kj-tls.
#pragma once

#include <kj/async-io.h>
#include <kj/compat/tls.h>

#include <string>

#include "common/base/result.h"
#include "common/rpc/tls_identity.h"

namespace fleetmark::rpc {

struct TlsPeer {
  kj::Own<kj::AsyncIoStream> stream;
  std::string commonName;
};

// One end's identity, ready for any number of connections. They outlive it. Loop thread.
class TlsEndpoint {
 public:
  // kInvalid: PEM can't be read, or the key isn't the certificate's.
  static base::Result<kj::Own<TlsEndpoint>> make(const TlsIdentity& identity);
  explicit TlsEndpoint(kj::Own<kj::TlsContext> context);

  // Both end the handshake, with the peer's certificate checked against the CA, its dates and its
  // use. In TLS 1.3 connect() is done before the server has judged the client: a refusal comes with
  // the first read. Rejected with FAILED (TLS says no) or DISCONNECTED.
  kj::Promise<TlsPeer> accept(kj::Own<kj::AsyncIoStream> stream);
  kj::Promise<TlsPeer> connect(kj::Own<kj::AsyncIoStream> stream);

 private:
  kj::Own<kj::TlsContext> context_;
};

}  // namespace fleetmark::rpc
