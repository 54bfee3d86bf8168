// The way to the coordinator for agents and the command: blocking calls from any thread, over one
// connection that is made at the first call and made again when it is lost.
//
// Owns a thread with a loop of its own. Everything that KJ owns (promises, capabilities) lives and
// dies on that thread: the functions passed in run there, and what a call answers must be plain
// values.
#pragma once

#include <kj/async.h>
#include <kj/function.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"
#include "common/rpc/rpc_limits.h"
#include "common/rpc/tls_identity.h"
#include "schema/coordinator.capnp.h"

namespace fleetmark::rpc {

struct RpcClientConfig {
  std::vector<std::string> addresses;  // "host:port", "[::1]:7300" or "unix:/path"; tried in turn
  TlsIdentity tls;
  RpcLimits limits;
  base::Nanos connectLimit = std::chrono::seconds(10);  // one address: connect, TLS, first ping
  // After each round through all addresses: a random pause up to base * 2^round, at most the cap.
  base::Nanos backoffBase = std::chrono::milliseconds(200);
  base::Nanos backoffCap = std::chrono::seconds(10);
  // A call that waits for a connection is answered with the last failure to make one once it has
  // waited this long; zero: it waits as long as it may.
  base::Nanos patience{0};
  // A connection on which nothing was answered for heartbeatInterval is pinged; without an answer
  // in heartbeatLimit it is dropped. Interval zero: never.
  base::Nanos heartbeatInterval = std::chrono::seconds(10);
  base::Nanos heartbeatLimit = std::chrono::seconds(10);
};

// Both run on the loop thread and must not block.
struct RpcClientHooks {
  using Connected = kj::Function<kj::Promise<base::Status>(schema::Coordinator::Client,
                                                           std::uint64_t generation)>;
  using Disconnected = kj::Function<void(std::uint64_t generation)>;

  // Runs on each new connection; calls wait until it has ended well. An error drops the connection;
  // kDenied and kInvalid are also answered to the calls that wait. The place to register and keep
  // a session.
  kj::Maybe<Connected> onConnected;
  // Follows each onConnected, whether it ended well or not, also at shutdown. The place to drop
  // capabilities of that connection.
  kj::Maybe<Disconnected> onDisconnected;
};

class RpcClient {
 public:
  // kInvalid: an address or the certificates can't be read.
  static base::Result<std::unique_ptr<RpcClient>> start(RpcClientConfig config,
                                                        RpcClientHooks hooks = {});
  virtual ~RpcClient() noexcept(false) = default;  // shuts down

  // Runs fn on the loop thread with the current connection and blocks until its promise is done
  // or dropped; so fn may borrow what outlives this call. Waits at most timeLimit, the time to
  // connect included.
  //
  // kUnavailable: not connected in time, no answer in time, or the connection broke (the call may
  // have been carried out all the same); also once shut down. kDenied: every coordinator refuses
  // this certificate. kOverloaded, kUnsupported, kInternal: as the peer's RPC layer says. Errors
  // that fn's result carries pass through.
  template <typename T>
  base::Result<T> call(kj::Function<kj::Promise<base::Result<T>>(schema::Coordinator::Client)> fn,
                       base::Nanos timeLimit) {
    std::optional<base::Result<T>> answer;
    base::Status sent = runBlocking(
        [&fn, &answer](schema::Coordinator::Client coordinator) {
          return fn(kj::mv(coordinator)).then([&answer](base::Result<T>&& result) {
            answer.emplace(std::move(result));
          });
        },
        timeLimit);
    if (!sent) return sent.error();
    return std::move(*answer);
  }

  // Any thread. The generation counts connections: 0 before the first.
  virtual bool connected() const = 0;
  virtual std::uint64_t generation() const = 0;
  // Why the last attempt to connect failed or the last connection ended; nullopt: neither yet.
  virtual std::optional<base::Error> lastError() const = 0;

  // Drops the connection, if any, as if it had broken; the next call makes a new one.
  virtual void dropConnection() = 0;

  // Any thread but the loop's own, idempotent. Calls that are blocked return kUnavailable.
  virtual void shutdown() = 0;

 protected:
  using Body = kj::Function<kj::Promise<void>(schema::Coordinator::Client)>;
  // When it returns, body and its promise are no longer in use by the loop thread.
  virtual base::Status runBlocking(Body body, base::Nanos timeLimit) = 0;
};

}  // namespace fleetmark::rpc
