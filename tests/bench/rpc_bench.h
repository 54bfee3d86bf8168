// What is compared: the bare socket, our RPC and gRPC. Each server is a process of its own, made by
// fork before any thread; the clients take turns in the benchmark's process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/base/units.h"
#include "common/rpc/tls_identity.h"

namespace fleetmark::bench {

struct Latencies {
  std::vector<base::Nanos> samples;
  base::Nanos percentile(double of100) const;  // nearest rank
};

// One turn: serial calls for `time` appended to `into`.
using SerialTurn = std::function<void(base::Nanos time, Latencies& into)>;
// One turn with `outstanding` calls always under way: calls a second.
using ThroughputTurn = std::function<double(base::Nanos time, std::size_t outstanding)>;

struct Contender {
  SerialTurn serial;
  ThroughputTurn throughput;  // null: not measured
};

struct Credentials {
  rpc::TlsIdentity server;
  rpc::TlsIdentity client;
};

// Servers: listen on loopback, write the port (16 bits) to `ready` and serve until killed.
[[noreturn]] void serveRaw(int ready);
[[noreturn]] void serveFleetmark(int ready, const Credentials& credentials);
[[noreturn]] void serveGrpc(int ready, const Credentials& credentials);

Contender rawClient(std::uint16_t port);  // 64 bytes there and back
Contender fleetmarkClient(std::uint16_t port,
                          const Credentials& credentials);  // on the loop itself
Contender fleetmarkBlockingClient(std::uint16_t port, const Credentials& credentials);  // RpcClient
Contender grpcClient(std::uint16_t port, const Credentials& credentials);  // sync unary

}  // namespace fleetmark::bench
