// rpc_bench [--seconds N] [--rounds N] [--json]
//
// No-op calls on loopback: a bare TCP ping-pong of 64 bytes, our RPC under mutual TLS 1.3, gRPC's
// sync unary calls under mutual TLS. They take turns in each round, so that what else the machine
// does meets all of them; only the ratios are worth comparing between runs.
#include "tests/bench/rpc_bench.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/base/check.h"
#include "tests/common/rpc/test_fleet.h"

namespace fleetmark::bench {

base::Nanos Latencies::percentile(double of100) const {
  std::vector<base::Nanos> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(of100 / 100.0 * static_cast<double>(sorted.size())));
  return sorted.at(std::max<std::size_t>(rank, 1) - 1);
}

namespace {

constexpr std::size_t kOutstanding = 64;

class ServerProcess {
 public:
  explicit ServerProcess(const std::function<void(int)>& serve) {
    int ready[2];
    FM_CHECK(::pipe(ready) == 0);
    pid_ = ::fork();
    FM_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::close(ready[0]);
      serve(ready[1]);
    }
    ::close(ready[1]);
    FM_CHECK(::read(ready[0], &port_, sizeof port_) == sizeof port_);
    ::close(ready[0]);
  }
  ~ServerProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ServerProcess(const ServerProcess&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

struct Row {
  const char* name;
  const char* key;
  Contender contender;
  Latencies latencies;
  std::vector<double> rates;

  double p50() const { return static_cast<double>(latencies.percentile(50).count()) / 1000.0; }
  double p99() const { return static_cast<double>(latencies.percentile(99).count()) / 1000.0; }
  double rate() const {  // the median round
    if (rates.empty()) return 0;
    auto sorted = rates;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void printTable(const std::vector<Row>& rows) {
  std::printf("servers: one process each; clients: this process, in turn; loopback\n\n");
  std::printf("| %-42s | %8s | %8s | %9s | %8s | %14s |\n", "no-op call", "p50 us", "p99 us",
              "calls/s", "p50/raw", "calls/s / gRPC");
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  for (const Row& row : rows) {
    std::printf("| %-42s | %8.1f | %8.1f | ", row.name, row.p50(), row.p99());
    if (row.rates.empty()) {
      std::printf("%9s | %8.2f | %14s |\n", "", row.p50() / rows.front().p50(), "");
    } else {
      std::printf("%9.0f | %8.2f | %14.2f |\n", row.rate(), row.p50() / rows.front().p50(),
                  row.rate() / rows.back().rate());
    }
  }
  std::printf("\ncalls/s: %zu outstanding on one connection (gRPC: %zu threads, one channel)\n",
              kOutstanding, kOutstanding);
}

void printJson(const std::vector<Row>& rows) {
  std::printf("{\"schema\":\"fleetmark.rpc-bench/v1\",\"outstanding\":%zu", kOutstanding);
  for (const Row& row : rows) {
    std::printf(",\"%s\":{\"p50_us\":%.1f,\"p99_us\":%.1f,\"n\":%zu,\"calls_per_second\":%.0f}",
                row.key, row.p50(), row.p99(), row.latencies.samples.size(), row.rate());
  }
  std::printf(",\"rpc_p50_per_raw_p50\":%.2f,\"rpc_rate_per_grpc_rate\":%.2f}\n",
              rows[1].p50() / rows[0].p50(), rows[1].rate() / rows.back().rate());
}

int run(int argc, char** argv) {
  double seconds = 1;
  int rounds = 5;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
      rounds = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: rpc_bench [--seconds N] [--rounds N] [--json]\n");
      return 2;
    }
  }
  if (seconds <= 0 || rounds <= 0) {
    std::fprintf(stderr, "rpc_bench: --seconds and --rounds must be over 0\n");
    return 2;
  }

  const rpc::TestFleet fleet;
  const Credentials credentials{fleet.coordinator(), fleet.agent()};
  const ServerProcess raw([](int ready) { serveRaw(ready); });
  const ServerProcess ours([&](int ready) { serveFleetmark(ready, credentials); });
  const ServerProcess grpc([&](int ready) { serveGrpc(ready, credentials); });

  std::vector<Row> rows;
  rows.push_back({"raw TCP ping-pong, 64 bytes", "raw", rawClient(raw.port()), {}, {}});
  rows.push_back(
      {"fleetmark RPC, mutual TLS 1.3", "rpc", fleetmarkClient(ours.port(), credentials), {}, {}});
  rows.push_back({"the same by RpcClient::call (other thread)",
                  "rpc_blocking",
                  fleetmarkBlockingClient(ours.port(), credentials),
                  {},
                  {}});
  rows.push_back(
      {"gRPC sync unary, mutual TLS", "grpc", grpcClient(grpc.port(), credentials), {}, {}});

  const auto turn = std::chrono::duration_cast<base::Nanos>(std::chrono::duration<double>(seconds));
  for (Row& row : rows) {  // warm-up
    Latencies ignored;
    row.contender.serial(turn / 4, ignored);
    if (row.contender.throughput) row.contender.throughput(turn / 4, kOutstanding);
  }
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) row.contender.serial(turn, row.latencies);
    for (Row& row : rows) {
      if (row.contender.throughput) {
        row.rates.push_back(row.contender.throughput(turn, kOutstanding));
      }
    }
  }
  json ? printJson(rows) : printTable(rows);
  return 0;
}

}  // namespace
}  // namespace fleetmark::bench

int main(int argc, char** argv) { return fleetmark::bench::run(argc, argv); }
