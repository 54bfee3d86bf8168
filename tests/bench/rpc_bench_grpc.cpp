#include <grpcpp/grpcpp.h>
#include <rpc_bench.grpc.pb.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/rpc/peer_identity.h"
#include "tests/bench/rpc_bench.h"

namespace fleetmark::bench {
namespace {

class PingerService final : public Pinger::Service {
 public:
  grpc::Status Ping(grpc::ServerContext*, const PingRequest*, PingAnswer* answer) override {
    answer->set_version("0.1.0");
    answer->set_role("agent");
    answer->set_wall_clock_ns(base::toUnixNanos(base::SystemClock().wall()));
    return grpc::Status::OK;
  }
};

void pingOnce(Pinger::Stub& stub) {
  grpc::ClientContext context;
  PingAnswer answer;
  FM_CHECK(stub.Ping(&context, PingRequest(), &answer).ok());
}

}  // namespace

void serveGrpc(int ready, const Credentials& credentials) {
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = credentials.server.caPem;
  options.pem_key_cert_pairs.push_back(
      {credentials.server.keyPem, credentials.server.certificatePem});
  PingerService service;
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &bound);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  FM_CHECK(server != nullptr);
  const auto port = static_cast<std::uint16_t>(bound);
  FM_CHECK(::write(ready, &port, sizeof port) == sizeof port);
  server->Wait();
  ::_exit(0);
}

Contender grpcClient(std::uint16_t port, const Credentials& credentials) {
  grpc::SslCredentialsOptions options{credentials.client.caPem, credentials.client.keyPem,
                                      credentials.client.certificatePem};
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(std::string(rpc::kCoordinatorTlsName));
  const std::shared_ptr<Pinger::Stub> stub = Pinger::NewStub(grpc::CreateCustomChannel(
      "127.0.0.1:" + std::to_string(port), grpc::SslCredentials(options), arguments));
  return {[stub](base::Nanos time, Latencies& into) {
            const base::SystemClock clock;
            const auto end = clock.mono() + time;
            for (auto begin = clock.mono(); begin < end;) {
              pingOnce(*stub);
              const auto now = clock.mono();
              into.samples.push_back(now - begin);
              begin = now;
            }
          },
          [stub](base::Nanos time, std::size_t outstanding) {
            const base::SystemClock clock;
            const auto begin = clock.mono();
            const auto end = begin + time;
            std::atomic<std::size_t> done{0};
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < outstanding; ++i) {
              threads.emplace_back([&] {
                while (clock.mono() < end) {
                  pingOnce(*stub);
                  ++done;
                }
              });
            }
            for (auto& thread : threads) thread.join();
            return static_cast<double>(done) /
                   std::chrono::duration<double>(clock.mono() - begin).count();
          }};
}

}  // namespace fleetmark::bench
