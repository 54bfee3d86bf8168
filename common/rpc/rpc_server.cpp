#include "common/rpc/rpc_server.h"

#include <capnp/rpc-twoparty.h>
#include <kj/debug.h>

#include <map>
#include <utility>

#include "common/base/log.h"
#include "common/rpc/batch_stream.h"
#include "common/rpc/duration.h"
#include "common/rpc/failure_log.h"
#include "common/rpc/kj_compat.h"
#include "common/rpc/kj_error.h"
#include "common/rpc/refusal.h"
#include "common/rpc/tls.h"
#include "common/rpc/uv_listener.h"

namespace fleetmark::rpc {
namespace {

using TwoPartySystem = capnp::RpcSystem<capnp::rpc::twoparty::VatId>;

struct Authorised {
  PeerIdentity peer;
  kj::Own<kj::AsyncIoStream> stream;
};

// Counts the connections that are not yet authorised, each for as long as its Slot lives.
class Doorway {
 public:
  class Slot {
   public:
    Slot(Doorway& doorway, std::string host) : doorway_(doorway), host_(std::move(host)) {
      ++doorway_.total_;
      ++doorway_.perHost_[host_];
    }
    ~Slot() noexcept(false) {
      --doorway_.total_;
      if (--doorway_.perHost_[host_] == 0) doorway_.perHost_.erase(host_);
      if (auto* room = someOf(doorway_.room_)) (*room)->fulfill();
    }
    KJ_DISALLOW_COPY(Slot);

   private:
    Doorway& doorway_;
    std::string host_;
  };

  std::size_t total() const { return total_; }
  std::size_t of(const std::string& host) const {
    const auto found = perHost_.find(host);
    return found == perHost_.end() ? 0 : found->second;
  }
  kj::Own<Slot> enter(std::string host) { return kj::heap<Slot>(*this, std::move(host)); }
  kj::Promise<void> whenLeft() {
    auto pair = kj::newPromiseAndFulfiller<void>();
    room_ = kj::mv(pair.fulfiller);
    return kj::mv(pair.promise);
  }

 private:
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> perHost_;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> room_;
};

FM_KJ_CLASS_BEGIN
class RpcServerImpl final : public RpcServer, public kj::TaskSet::ErrorHandler {
 public:
  RpcServerImpl(UvEventPort& port, RpcServerConfig config, RpcServerCallbacks callbacks,
                kj::Own<TlsEndpoint> tls, kj::Own<UvListener> listener)
      : port_(port),
        config_(std::move(config)),
        callbacks_(kj::mv(callbacks)),
        tls_(kj::mv(tls)),
        boundAddress_(listener->bound()),
        listener_(kj::mv(listener)),
        tasks_(kj::heap<kj::TaskSet>(*this)) {
    config_.tls = {};  // the key is in tls_ now
    tasks_->add(acceptOn());
  }
  ~RpcServerImpl() noexcept(false) override {
    tellEnded_ = Tell::kNobody;
    tasks_ = nullptr;
  }

  std::uint16_t boundPort() const override { return boundAddress_.port; }
  std::string boundAddress() const override { return boundAddress_.toString(); }
  std::size_t connectionCount() const override { return connections_.size(); }
  std::size_t unauthenticatedCount() const override { return doorway_.total(); }

  base::Status replaceIdentity(const TlsIdentity& identity) override {
    FM_TRY_ASSIGN(tls_, TlsEndpoint::make(identity));
    return {};
  }

  std::size_t cut(PeerRole role, std::string_view id) override {
    std::size_t count = 0;
    for (auto& [number, connection] : connections_) {
      if (connection->peer.role != role || connection->peer.id != id) continue;
      connection->cut->fulfill();
      ++count;
    }
    return count;
  }

  void stop() override {
    listener_ = nullptr;
    tasks_ = nullptr;
  }

 private:
  enum class Tell { kCaller, kNobody };

  // In this order: the RPC system goes first, then its network, then the socket; then the caller
  // is told.
  struct Connection {
    Connection(RpcServerImpl& owner, Authorised&& authorised,
               kj::Own<kj::PromiseFulfiller<void>> cutter)
        : server(owner),
          peer(std::move(authorised.peer)),
          ended{*this},
          cut(kj::mv(cutter)),
          stream(kj::mv(authorised.stream)),
          network(*stream, capnp::rpc::twoparty::Side::SERVER,
                  owner.config_.limits.readerOptions()),
          rpc(capnp::makeRpcServer(network, owner.callbacks_.bootstrap(peer))) {
      // Bounds what a peer may have in flight: beyond it nothing more is read from it.
      rpc.setFlowLimit(owner.config_.limits.messageBytes / sizeof(capnp::word));
      owner.connections_.emplace(peer.connection, this);
      ended.armed = true;
    }
    KJ_DISALLOW_COPY(Connection);

    struct Ended {
      Connection& connection;
      bool armed = false;
      ~Ended() noexcept(false) {
        if (armed) connection.server.ended(connection.peer);
      }
    };

    RpcServerImpl& server;
    PeerIdentity peer;
    Ended ended;
    kj::Own<kj::PromiseFulfiller<void>> cut;
    kj::Own<kj::AsyncIoStream> stream;
    capnp::TwoPartyVatNetwork network;
    TwoPartySystem rpc;
  };

  kj::Promise<void> acceptOn() {
    if (doorway_.total() >= config_.maxUnauthenticated) {
      return doorway_.whenLeft().then([this] { return acceptOn(); });
    }
    return listener_->accept().then([this](UvAccepted accepted) {
      admit(kj::mv(accepted));
      return acceptOn();
    });
  }

  void admit(UvAccepted accepted) {
    if (doorway_.of(accepted.host) >= config_.maxUnauthenticatedPerAddress) {
      failures_.report(accepted.host, accepted.peer, "too many handshakes at once from there");
      return;
    }
    auto slot = doorway_.enter(accepted.host);
    auto limit = port_.timer()
                     .afterDelay(toKj(config_.handshakeLimit))
                     .then([]() -> kj::Promise<Authorised> {
                       return KJ_EXCEPTION(OVERLOADED, "no TLS handshake within its limit");
                     });
    auto greeted = greet(kj::addRef(*accepted.stream), accepted.peer).exclusiveJoin(kj::mv(limit));
    tasks_->add(greeted.then(
        [this, host = accepted.host, entered = kj::mv(slot)](Authorised authorised) mutable {
          entered = nullptr;
          failures_.forget(host);
          return serve(kj::mv(authorised));
        },
        [this, host = accepted.host, peer = accepted.peer,
         socket = kj::mv(accepted.stream)](kj::Exception&& e) mutable {
          failures_.report(host, peer, describe(e));
          return closeGently(kj::mv(socket), port_.timer());
        }));
  }

  // Handshake, name, authorisation.
  kj::Promise<Authorised> greet(kj::Own<kj::AsyncIoStream> socket, std::string address) {
    return tls_->accept(kj::mv(socket))
        .then([this, address = std::move(address)](TlsPeer tls) -> kj::Promise<Authorised> {
          auto parsed = parsePeerIdentity(tls.commonName);
          if (!parsed) {
            return refuse(kj::mv(tls.stream), parsed.error());
          }
          parsed->address = address;
          parsed->connection = ++lastConnection_;
          auto decision = callbacks_.authorise(*parsed);
          return decision.then([this, peer = *parsed, stream = kj::mv(tls.stream)](
                                   base::Status status) mutable -> kj::Promise<Authorised> {
            if (!status) return refuse(kj::mv(stream), status.error());
            return Authorised{std::move(peer), kj::mv(stream)};
          });
        });
  }

  kj::Promise<Authorised> refuse(kj::Own<kj::AsyncIoStream> stream, const base::Error& error) {
    return sendRefusal(kj::mv(stream), port_.timer(), error)
        .catch_([](kj::Exception&&) {})  // the peer may be gone already
        .then([reason = error.message]() -> kj::Promise<Authorised> {
          return kj::Exception(kj::Exception::Type::FAILED, __FILE__, __LINE__,
                               kj::str("refused: ", reason.c_str()));
        });
  }

  kj::Promise<void> serve(Authorised authorised) {
    authorised.stream = newBatchStream(kj::mv(authorised.stream));
    auto cut = kj::newPromiseAndFulfiller<void>();
    auto connection = kj::heap<Connection>(*this, kj::mv(authorised), kj::mv(cut.fulfiller));
    auto ended = connection->network.onDisconnect().exclusiveJoin(kj::mv(cut.promise));
    return ended.attach(kj::mv(connection));
  }

  void ended(const PeerIdentity& peer) {
    connections_.erase(peer.connection);
    switch (tellEnded_) {
      case Tell::kCaller:
        callbacks_.disconnected(peer);
        break;
      case Tell::kNobody:
        break;
    }
  }

  void taskFailed(kj::Exception&& exception) override {
    base::log(base::LogLevel::kWarning, "rpc.connection_failed", {{"reason", describe(exception)}});
  }

  UvEventPort& port_;
  RpcServerConfig config_;
  RpcServerCallbacks callbacks_;
  kj::Own<TlsEndpoint> tls_;
  const UvAddress boundAddress_;
  Doorway doorway_;
  FailureLog failures_;
  std::uint64_t lastConnection_ = 0;
  Tell tellEnded_ = Tell::kCaller;
  std::map<std::uint64_t, Connection*> connections_;
  kj::Own<UvListener> listener_;
  kj::Own<kj::TaskSet> tasks_;  // owns every connection; goes first
};
FM_KJ_CLASS_END

}  // namespace

base::Result<kj::Own<RpcServer>> RpcServer::listen(UvEventPort& port, RpcServerConfig config,
                                                   RpcServerCallbacks callbacks) {
  FM_TRY_ASSIGN(auto tls, TlsEndpoint::make(config.tls));
  FM_TRY_ASSIGN(const UvAddress address, UvAddress::parse(config.address));
  FM_TRY_ASSIGN(auto listener, UvListener::listen(port, address));
  kj::Own<RpcServer> server = kj::heap<RpcServerImpl>(port, std::move(config), kj::mv(callbacks),
                                                      kj::mv(tls), kj::mv(listener));
  return kj::mv(server);
}

}  // namespace fleetmark::rpc
