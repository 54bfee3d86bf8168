#include "tests/common/rpc/test_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <vector>

#include "common/base/check.h"

namespace fleetmark::rpc {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

struct Pair {
  int client;
  int server;
  std::size_t fromClient = 0;
};

// False: that end is over.
bool relay(int from, int to, std::size_t& passed) {
  char buffer[65536];
  const ssize_t size = ::read(from, buffer, sizeof buffer);
  if (size <= 0) return false;
  for (ssize_t done = 0; done < size;) {
    const ssize_t sent =
        ::send(to, buffer + done, static_cast<std::size_t>(size - done), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    done += sent;
  }
  passed += static_cast<std::size_t>(size);
  return true;
}

}  // namespace

int connectLoopback(std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(descriptor);
    return -1;
  }
  return descriptor;
}

TestProxy::TestProxy(std::uint16_t target) : target_(target) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  FM_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  FM_CHECK(::listen(listener_, 64) == 0);
  socklen_t size = sizeof address;
  FM_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  FM_CHECK(::pipe(wake_) == 0);
  thread_ = std::thread([this] { loop(); });
}

TestProxy::~TestProxy() {
  tell('q');
  thread_.join();
  for (int descriptor : {listener_, wake_[0], wake_[1]}) ::close(descriptor);
}

void TestProxy::tell(char command) { FM_CHECK(::write(wake_[1], &command, 1) == 1); }
void TestProxy::stall() {
  mode_ = Mode::kStall;
  tell('m');
}
void TestProxy::pass() {
  mode_ = Mode::kPass;
  tell('m');
}
void TestProxy::refuse() {
  mode_ = Mode::kRefuse;
  tell('m');
}
void TestProxy::cutAll() { tell('c'); }
void TestProxy::cutAfter(std::size_t bytes) { cutAfter_ = bytes; }

void TestProxy::loop() {
  std::list<Pair> pairs;
  const auto close = [](const Pair& pair) {
    ::close(pair.client);
    ::close(pair.server);
  };
  for (;;) {
    std::vector<pollfd> polls{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    const bool reading = mode_ != Mode::kStall;
    for (const Pair& pair : pairs) {
      const short events = reading ? POLLIN : 0;
      polls.push_back({reading ? pair.client : -1, events, 0});
      polls.push_back({reading ? pair.server : -1, events, 0});
    }
    FM_CHECK(::poll(polls.data(), polls.size(), -1) > 0);
    std::size_t at = 2;
    for (auto pair = pairs.begin(); pair != pairs.end();) {
      bool open = true;
      std::size_t ignored = 0;
      if (polls[at++].revents != 0) open = relay(pair->client, pair->server, pair->fromClient);
      if (open && polls[at].revents != 0) open = relay(pair->server, pair->client, ignored);
      ++at;
      if (cutAfter_ != 0 && pair->fromClient >= cutAfter_) open = false;
      if (!open) close(*pair);
      pair = open ? std::next(pair) : pairs.erase(pair);
    }
    if (polls[1].revents != 0) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int server = mode_ == Mode::kRefuse ? -1 : connectLoopback(target_);
      if (server < 0) {
        ::close(client);
      } else {
        pairs.push_back({client, server});
      }
    }
    if (polls[0].revents != 0) {
      char command = 0;
      FM_CHECK(::read(wake_[0], &command, 1) == 1);
      if (command == 'm') continue;
      for (const Pair& pair : pairs) close(pair);
      pairs.clear();
      if (command == 'q') return;
    }
  }
}

}  // namespace fleetmark::rpc
