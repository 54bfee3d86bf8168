#include "common/rpc/tls_memory.h"

#include <openssl/ssl.h>

namespace fleetmark::rpc {

namespace {

// OpenSSL calls this for every connection it makes; `connection` is the SSL.
void onNewConnection(void* connection, void*, CRYPTO_EX_DATA*, int, long, void*) {
  SSL_set_mode(static_cast<SSL*>(connection), SSL_MODE_RELEASE_BUFFERS);
}

}  // namespace

void releaseIdleTlsBuffers() {
  static const int kIndex = SSL_get_ex_new_index(0, nullptr, &onNewConnection, nullptr, nullptr);
  static_cast<void>(kIndex);
}

}  // namespace fleetmark::rpc
