// What a TLS connection that another library made turned out to be.
#pragma once

#include <string>

namespace fleetmark::crypto {

struct TlsFacts {
  std::string version;   // "TLSv1.3"
  std::string cipher;    // "TLS_AES_256_GCM_SHA384"
  bool resumed = false;  // the handshake took up an earlier session
};

// `ssl`: OpenSSL's SSL*, after its handshake. Borrowed for the call, on its owner's thread.
TlsFacts tlsFacts(void* ssl);

}  // namespace fleetmark::crypto
