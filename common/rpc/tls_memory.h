// What an idle TLS connection holds.
#pragma once

namespace fleetmark::rpc {

// From now on every TLS connection of this process gives its record buffers (16 KiB to read, 16 KiB
// to write) back while they are empty. kj-tls keeps its SSL_CTX to itself, so OpenSSL is asked to
// tell of each new connection instead. Any thread; once is enough.
void releaseIdleTlsBuffers();

}  // namespace fleetmark::rpc
