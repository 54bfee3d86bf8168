#include "common/rpc/client_link.h"

#include <utility>

#include "common/rpc/batch_stream.h"
#include "common/rpc/kj_error.h"
#include "common/rpc/peer_identity.h"
#include "common/rpc/refusal.h"
#include "common/rpc/uv_connector.h"

namespace fleetmark::rpc {
namespace {

using Opened = base::Result<kj::Own<ClientLink>>;

base::Error cannotConnect(const std::string& address, const kj::Exception& e) {
  return base::unavailable("no coordinator at " + address + ": " + describe(e) +
                           "; is it running there?");
}

base::Error handshakeFailed(const std::string& address, const kj::Exception& e) {
  if (e.getType() == kj::Exception::Type::DISCONNECTED) {
    return base::unavailable("the peer at " + address +
                             " ended the connection in the TLS handshake: " + describe(e) +
                             "; is it a coordinator?");
  }
  return base::denied("the peer at " + address +
                      " can't prove that it is a coordinator of this fleet: " + describe(e) +
                      "; check the address and the CA certificate");
}

base::Error firstCallFailed(const std::string& address, const kj::Exception& e) {
  const std::string text = describe(e);
  if (const auto reason = parseRefusal(text)) {
    switch (reason->code) {
      case base::ErrorCode::kUnavailable:
      case base::ErrorCode::kOverloaded:
      case base::ErrorCode::kConflict:
      case base::ErrorCode::kInternal:
        return base::unavailable("the coordinator at " + address +
                                 " can't let anybody in now: " + reason->message);
      case base::ErrorCode::kInvalid:
      case base::ErrorCode::kNotFound:
      case base::ErrorCode::kDenied:
      case base::ErrorCode::kUnsupported:
        break;
    }
    return base::denied("the coordinator at " + address +
                        " refuses this certificate: " + reason->message);
  }
  // TLS 1.3: the server's verdict comes as an alert after our side has ended the handshake.
  if (text.find(" alert ") != std::string::npos) {
    return base::denied("the coordinator at " + address + " refuses this certificate: " + text +
                        "; it may be expired or of another CA: enrol again");
  }
  return toError(e, "first call to the coordinator at " + address);
}

// Host names are not compared: see kCoordinatorTlsName.
base::Status checkRole(const std::string& address, const std::string& commonName) {
  const auto peer = parsePeerIdentity(commonName);
  if (!peer) {
    return base::denied("the peer at " + address + " is no coordinator: " + peer.error().message);
  }
  if (peer->role != PeerRole::kCoordinator) {
    return base::denied("the peer at " + address + " is no coordinator: its certificate says " +
                        peer->label() + "; check the address");
  }
  return {};
}

kj::Promise<Opened> firstCall(kj::Own<ClientLink> link) {
  auto pinged = link->coordinator().pingRequest().send().ignoreResult();
  std::string address = link->address();
  return pinged.then([link = kj::mv(link)]() mutable -> Opened { return kj::mv(link); },
                     [address = std::move(address)](kj::Exception&& e) -> Opened {
                       return firstCallFailed(address, e);
                     });
}

}  // namespace

ClientLink::ClientLink(kj::Own<kj::AsyncIoStream> stream, std::string address,
                       const RpcLimits& limits)
    : address_(std::move(address)),
      stream_(newBatchStream(kj::mv(stream))),
      network_(*stream_, capnp::rpc::twoparty::Side::CLIENT, limits.readerOptions()),
      rpc_(capnp::makeRpcClient(network_)),
      coordinator_([this] {
        capnp::MallocMessageBuilder message;
        auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
        server.setSide(capnp::rpc::twoparty::Side::SERVER);
        return rpc_.bootstrap(server).castAs<schema::Coordinator>();
      }()) {}

kj::Promise<Opened> ClientLink::open(UvEventPort& port, TlsEndpoint& tls, const UvAddress& address,
                                     const RpcLimits& limits) {
  const std::string where = address.toString();
  return uvConnect(port, address)
      .then(
          [&tls, limits, where](kj::Own<kj::AsyncIoStream> socket) {
            return tls.connect(kj::mv(socket))
                .then(
                    [limits, where](TlsPeer peer) -> kj::Promise<Opened> {
                      auto role = checkRole(where, peer.commonName);
                      if (!role) return Opened(role.error());
                      return firstCall(kj::heap<ClientLink>(kj::mv(peer.stream), where, limits));
                    },
                    [where](kj::Exception&& e) -> kj::Promise<Opened> {
                      return Opened(handshakeFailed(where, e));
                    });
          },
          [where](kj::Exception&& e) -> kj::Promise<Opened> {
            return Opened(cannotConnect(where, e));
          });
}

}  // namespace fleetmark::rpc
