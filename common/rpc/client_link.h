#pragma once

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <string>

#include "common/base/result.h"
#include "common/rpc/rpc_limits.h"
#include "common/rpc/tls.h"
#include "common/rpc/uv_address.h"
#include "common/rpc/uv_event_port.h"
#include "schema/coordinator.capnp.h"

namespace fleetmark::rpc {

// One proven connection to a coordinator. Loop thread.
class ClientLink {
 public:
  // Connects, does TLS, checks that the peer is a coordinator and makes the first call, since only
  // its answer proves that the coordinator accepts us. No time limit of its own: drop the promise.
  // Never rejected; kUnavailable: nobody there or it went away; kDenied: one of both ends does not
  // accept the other's certificate, with the reason.
  static kj::Promise<base::Result<kj::Own<ClientLink>>> open(UvEventPort& port, TlsEndpoint& tls,
                                                             const UvAddress& address,
                                                             const RpcLimits& limits);
  ClientLink(kj::Own<kj::AsyncIoStream> stream, std::string address, const RpcLimits& limits);
  KJ_DISALLOW_COPY(ClientLink);

  schema::Coordinator::Client coordinator() { return coordinator_; }
  kj::Promise<void> whenDisconnected() { return network_.onDisconnect(); }
  const std::string& address() const { return address_; }

 private:
  std::string address_;
  kj::Own<kj::AsyncIoStream> stream_;
  capnp::TwoPartyVatNetwork network_;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpc_;
  schema::Coordinator::Client coordinator_;
};

}  // namespace fleetmark::rpc
