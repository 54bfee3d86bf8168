#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/rpc/client_link.h"
#include "common/rpc/rpc_client.h"
#include "common/rpc/rpc_server.h"
#include "tests/bench/rpc_bench.h"

namespace fleetmark::bench {
namespace {

FM_KJ_CLASS_BEGIN
class Pinger final : public schema::Coordinator::Server {
 public:
  kj::Promise<void> ping(PingContext context) override {
    auto results = context.getResults();
    results.setVersion("0.1.0");
    results.setRole("agent");
    results.setWallClockNs(base::toUnixNanos(base::SystemClock().wall()));
    return kj::READY_NOW;
  }
};
FM_KJ_CLASS_END

struct Client {
  rpc::UvLoop loop;
  kj::Own<rpc::TlsEndpoint> tls;
  kj::Own<rpc::ClientLink> link;
};

kj::Promise<void> repeat(Client& client, base::MonoTime end, std::size_t& done) {
  return client.link->coordinator().pingRequest().send().then(
      [&client, end, &done](auto&&) -> kj::Promise<void> {
        ++done;
        if (base::SystemClock().mono() >= end) return kj::READY_NOW;
        return repeat(client, end, done);
      });
}

}  // namespace

void serveFleetmark(int ready, const Credentials& credentials) {
  rpc::UvLoop loop;
  rpc::RpcServerConfig config;
  config.address = "127.0.0.1:0";
  config.tls = credentials.server;
  capnp::Capability::Client pinger = kj::heap<Pinger>();
  auto server =
      rpc::RpcServer::listen(
          loop.port(), config,
          {[](const rpc::PeerIdentity&) -> kj::Promise<base::Status> { return base::Status(); },
           [&pinger](const rpc::PeerIdentity&) { return pinger; }, [](const rpc::PeerIdentity&) {}})
          .value();
  const std::uint16_t port = server->boundPort();
  FM_CHECK(::write(ready, &port, sizeof port) == sizeof port);
  kj::Promise<void>(kj::NEVER_DONE).wait(loop.scope());
  ::_exit(0);
}

Contender fleetmarkClient(std::uint16_t port, const Credentials& credentials) {
  auto client = std::make_shared<Client>();
  client->tls = rpc::TlsEndpoint::make(credentials.client).value();
  const auto address = rpc::UvAddress::parse("127.0.0.1:" + std::to_string(port)).value();
  client->link = rpc::ClientLink::open(client->loop.port(), *client->tls, address, rpc::RpcLimits())
                     .wait(client->loop.scope())
                     .value();
  return {[client](base::Nanos time, Latencies& into) {
            const base::SystemClock clock;
            const auto end = clock.mono() + time;
            for (auto begin = clock.mono(); begin < end;) {
              client->link->coordinator().pingRequest().send().wait(client->loop.scope());
              const auto now = clock.mono();
              into.samples.push_back(now - begin);
              begin = now;
            }
          },
          [client](base::Nanos time, std::size_t outstanding) {
            const base::SystemClock clock;
            const auto begin = clock.mono();
            std::size_t done = 0;
            auto all = kj::heapArrayBuilder<kj::Promise<void>>(outstanding);
            for (std::size_t i = 0; i < outstanding; ++i) {
              all.add(repeat(*client, begin + time, done));
            }
            kj::joinPromises(all.finish()).wait(client->loop.scope());
            return static_cast<double>(done) /
                   std::chrono::duration<double>(clock.mono() - begin).count();
          }};
}

Contender fleetmarkBlockingClient(std::uint16_t port, const Credentials& credentials) {
  rpc::RpcClientConfig config;
  config.addresses = {"127.0.0.1:" + std::to_string(port)};
  config.tls = credentials.client;
  std::shared_ptr<rpc::RpcClient> client = rpc::RpcClient::start(std::move(config)).value();
  return {[client](base::Nanos time, Latencies& into) {
            const base::SystemClock clock;
            const auto end = clock.mono() + time;
            for (auto begin = clock.mono(); begin < end;) {
              const auto status = client->call<void>(
                  [](schema::Coordinator::Client coordinator) {
                    return coordinator.pingRequest().send().then(
                        [](auto&&) -> base::Status { return {}; });
                  },
                  std::chrono::seconds(10));
              FM_CHECK(status.has_value());
              const auto now = clock.mono();
              into.samples.push_back(now - begin);
              begin = now;
            }
          },
          nullptr};
}

}  // namespace fleetmark::bench
