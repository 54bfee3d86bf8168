// The coordinator's end of the wire: listens, proves who a peer is, and only then speaks RPC.
//
//   accept -> TLS 1.3 handshake -> common name -> authorise() -> bootstrap() -> RPC
//
// No byte of RPC is read before authorise() has said yes. Lives on one loop thread: every function
// and every callback runs there. Destruction cuts every connection.
#pragma once

#include <capnp/capability.h>
#include <kj/async.h>
#include <kj/function.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/base/units.h"
#include "common/rpc/peer_identity.h"
#include "common/rpc/rpc_limits.h"
#include "common/rpc/tls_identity.h"
#include "common/rpc/uv_event_port.h"

namespace fleetmark::rpc {

struct RpcServerConfig {
  std::string address;  // "host:port", "[::1]:0" or "unix:/path"; port 0: any free one
  TlsIdentity tls;
  RpcLimits limits;
  base::Nanos handshakeLimit = std::chrono::seconds(10);  // accept until authorised
  // Connections not yet authorised. At the limit no more are accepted until one is done; more than
  // its share from one address are closed at once.
  std::size_t maxUnauthenticated = 256;
  std::size_t maxUnauthenticatedPerAddress = 128;
};

struct RpcServerCallbacks {
  // May this peer (role, serial) come in at all? An error is logged and the connection closed.
  kj::Function<kj::Promise<base::Status>(const PeerIdentity&)> authorise;
  // The first interface on the connection; made once for each.
  kj::Function<capnp::Capability::Client(const PeerIdentity&)> bootstrap;
  // Once for each connection that bootstrap() was called for, after it has ended; not in the
  // server's destructor.
  kj::Function<void(const PeerIdentity&)> disconnected;
};

class RpcServer {
 public:
  // Listens from here on; `port` must outlive the server. kInvalid: address or certificate;
  // kConflict: the address is in use; kDenied: not allowed to use it.
  static base::Result<kj::Own<RpcServer>> listen(UvEventPort& port, RpcServerConfig config,
                                                 RpcServerCallbacks callbacks);
  virtual ~RpcServer() noexcept(false) = default;

  virtual std::uint16_t boundPort() const = 0;           // 0 for a Unix socket
  virtual std::string boundAddress() const = 0;          // fit for RpcClientConfig::addresses
  virtual std::size_t connectionCount() const = 0;       // authorised ones
  virtual std::size_t unauthenticatedCount() const = 0;  // still in their handshake

  // A new certificate for new connections; those that exist keep theirs. kInvalid: PEM.
  virtual base::Status replaceIdentity(const TlsIdentity& identity) = 0;
  // Cuts every connection of this role and id, e.g. because its certificate was revoked. Returns
  // how many. disconnected() follows for each.
  virtual std::size_t cut(PeerRole role, std::string_view id) = 0;
  // Stops listening and cuts every connection; disconnected() is called for each before this
  // returns. Idempotent.
  virtual void stop() = 0;
};

}  // namespace fleetmark::rpc
