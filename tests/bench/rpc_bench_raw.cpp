#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "tests/bench/rpc_bench.h"
#include "tests/support/tcp_proxy.h"

namespace fleetmark::bench {
namespace {

constexpr std::size_t kSize = 64;

void noDelay(int socket) {
  const int on = 1;
  FM_CHECK(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
}

bool readAll(int socket, char* buffer) {
  for (std::size_t done = 0; done < kSize;) {
    const ssize_t size = ::read(socket, buffer + done, kSize - done);
    if (size <= 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

}  // namespace

void serveRaw(int ready) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  FM_CHECK(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
  FM_CHECK(::listen(listener, 1) == 0);
  FM_CHECK(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const std::uint16_t port = ntohs(address.sin_port);
  FM_CHECK(::write(ready, &port, sizeof port) == sizeof port);
  const int socket = ::accept(listener, nullptr, nullptr);
  noDelay(socket);
  char buffer[kSize];
  while (readAll(socket, buffer)) FM_CHECK(::write(socket, buffer, kSize) == kSize);
  ::_exit(0);
}

Contender rawClient(std::uint16_t port) {
  const int socket = support::connectLoopback(port);
  FM_CHECK(socket >= 0);
  noDelay(socket);
  return {[socket](base::Nanos time, Latencies& into) {
            const base::SystemClock clock;
            char buffer[kSize] = {};
            const auto end = clock.mono() + time;
            for (auto begin = clock.mono(); begin < end;) {
              FM_CHECK(::write(socket, buffer, kSize) == kSize);
              FM_CHECK(readAll(socket, buffer));
              const auto now = clock.mono();
              into.samples.push_back(now - begin);
              begin = now;
            }
          },
          nullptr};
}

}  // namespace fleetmark::bench
