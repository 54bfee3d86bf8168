// The loop thread's half of RpcClient: connects, reconnects, listens for the heart, runs calls.
#pragma once

#include <kj/async.h>

#include <cstdint>
#include <list>
#include <set>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/rpc/client_call.h"
#include "common/rpc/client_link.h"
#include "common/rpc/client_status.h"
#include "common/rpc/kj_compat.h"
#include "common/rpc/rpc_client.h"
#include "common/rpc/tls.h"
#include "common/rpc/uv_address.h"
#include "common/rpc/uv_event_port.h"

namespace fleetmark::rpc {

FM_KJ_CLASS_BEGIN
class ClientSession final : public kj::TaskSet::ErrorHandler {
 public:
  ClientSession(UvEventPort& port, const RpcClientConfig& config, std::vector<UvAddress> addresses,
                kj::Own<TlsEndpoint> tls, RpcClientHooks& hooks, ClientStatus& status);
  // Finishes every call with kUnavailable.
  ~ClientSession() noexcept(false);
  KJ_DISALLOW_COPY(ClientSession);

  void start(ClientCall& call);
  void dropConnection();

 private:
  using Coordinator = schema::Coordinator::Client;

  // A link with its hooks: onDisconnected() comes before the link goes.
  struct Live {
    Live(ClientSession& owner, kj::Own<ClientLink> opened, std::uint64_t number)
        : session(owner), link(kj::mv(opened)), generation(number) {}
    ~Live() noexcept(false) { session.tellDisconnected(generation); }
    KJ_DISALLOW_COPY(Live);
    ClientSession& session;
    kj::Own<ClientLink> link;
    std::uint64_t generation;
  };
  using Tried = base::Result<kj::Own<Live>>;

  kj::Promise<base::Result<Coordinator>> connection();
  kj::Promise<void> connectOn(unsigned round);
  // The addresses of `order` from its end on; `denied` counts those that refused us.
  kj::Promise<Tried> tryEach(std::vector<std::size_t> order, std::size_t denied);
  kj::Promise<Tried> tryOne(const UvAddress& address);
  kj::Promise<Tried> greet(kj::Own<ClientLink> link);
  kj::Promise<void> live(kj::Own<Live> live);
  kj::Promise<base::Error> heartbeat(Coordinator coordinator);
  kj::Promise<void> pause(unsigned round);
  void roundFailed(const base::Error& error);
  void finish(ClientCall& call, base::Status status);
  base::Error timedOut(base::Nanos limit) const;
  void tellDisconnected(std::uint64_t generation);
  void taskFailed(kj::Exception&& exception) override;

  UvEventPort& port_;
  const RpcClientConfig& config_;
  const std::vector<UvAddress> addresses_;
  kj::Own<TlsEndpoint> tls_;
  RpcClientHooks& hooks_;
  ClientStatus& status_;
  base::SeededRandom random_;  // shuffles and jitters
  bool connecting_ = false;    // connectOn() runs, from the first call on
  std::uint64_t generation_ = 0;
  std::uint64_t answers_ = 0;  // of this connection's peer
  Live* current_ = nullptr;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<base::Error>>> drop_;
  std::list<kj::Own<kj::PromiseFulfiller<base::Result<Coordinator>>>> waiters_;
  kj::TimePoint waitingSince_ = kj::origin<kj::TimePoint>();  // the first of the waiters
  std::set<ClientCall*> calls_;
  kj::Own<kj::TaskSet> tasks_;
};
FM_KJ_CLASS_END

}  // namespace fleetmark::rpc
