#include "common/crypto/tls_facts.h"

#include <openssl/ssl.h>

namespace fleetmark::crypto {

TlsFacts tlsFacts(void* ssl) {
  auto* session = static_cast<SSL*>(ssl);
  const char* cipher = SSL_get_cipher_name(session);
  return {SSL_get_version(session), cipher == nullptr ? "" : cipher,
          SSL_session_reused(session) == 1};
}

}  // namespace fleetmark::crypto
