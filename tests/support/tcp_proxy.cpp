#include "tests/support/tcp_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <list>
#include <vector>

#include "common/base/check.h"

namespace fleetmark::support {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kMostHeld = 1 << 20;  // bytes of one direction; more is left in the kernel

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int connectPath(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  FM_CHECK(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return descriptor;
  }
  ::close(descriptor);
  return -1;
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

// What the thread does; all but the atomics belongs to it.
class TcpProxy::Loop {
  // One direction of a connection.
  struct Flow {
    int from;
    int to;
    struct Piece {
      SteadyTime due;
      std::string bytes;
    };
    std::deque<Piece> pieces;
    std::size_t held = 0;
    std::size_t passed = 0;
    bool ended = false;  // nothing more is read
    bool shut = false;   // the other side was told so

    bool wantsRead() const { return !ended && held < kMostHeld; }
    bool wantsWrite(SteadyTime now) const { return !pieces.empty() && pieces.front().due <= now; }

    // False: the connection is broken.
    bool read(SteadyTime due) {
      char buffer[65536];
      const ssize_t size = ::recv(from, buffer, sizeof buffer, MSG_DONTWAIT);
      if (size < 0) return errno == EAGAIN || errno == EINTR;
      if (size == 0) {
        ended = true;
        return true;
      }
      pieces.push_back({due, std::string(buffer, static_cast<std::size_t>(size))});
      held += static_cast<std::size_t>(size);
      return true;
    }

    bool write(SteadyTime now) {
      while (wantsWrite(now)) {
        std::string& bytes = pieces.front().bytes;
        const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) return errno == EAGAIN || errno == EINTR;
        held -= static_cast<std::size_t>(sent);
        passed += static_cast<std::size_t>(sent);
        if (static_cast<std::size_t>(sent) < bytes.size()) {
          bytes.erase(0, static_cast<std::size_t>(sent));
          return true;
        }
        pieces.pop_front();
      }
      return true;
    }

    void tellEnd() {
      if (!ended || shut || !pieces.empty()) return;
      ::shutdown(to, SHUT_WR);
      shut = true;
    }
  };

  struct Relay {
    Flow up;    // from the client
    Flow down;  // from the server
    void close() {
      ::close(up.from);
      ::close(down.from);
    }
  };

 public:
  explicit Loop(TcpProxy& proxy) : proxy_(proxy) {}

  void run() {
    while (turn()) {
    }
    cut();
  }

 private:
  bool turn() {
    const bool moving = proxy_.mode_ != Mode::kStall;
    SteadyTime now = std::chrono::steady_clock::now();
    std::vector<pollfd> polls{{proxy_.wake_[0], POLLIN, 0}, {proxy_.listener_, POLLIN, 0}};
    for (const Relay& relay : relays_) {
      polls.push_back(watch(relay.up, relay.down, moving, now));
      polls.push_back(watch(relay.down, relay.up, moving, now));
    }
    if (::poll(polls.data(), polls.size(), moving ? patience(now) : -1) < 0) {
      FM_CHECK(errno == EINTR);
      return true;
    }
    now = std::chrono::steady_clock::now();
    if (moving) {
      std::size_t at = 2;
      for (auto relay = relays_.begin(); relay != relays_.end(); at += 2) {
        bool open = advance(*relay, polls[at].revents, polls[at + 1].revents, now);
        if (!open) relay->close();
        relay = open ? std::next(relay) : relays_.erase(relay);
      }
    }
    if (polls[1].revents != 0) accept();
    return polls[0].revents == 0 || obey();
  }

  // A descriptor is read by one flow and written by the other.
  static pollfd watch(const Flow& reads, const Flow& writes, bool moving, SteadyTime now) {
    short events = 0;
    if (reads.wantsRead()) events |= POLLIN;
    if (writes.wantsWrite(now)) events |= POLLOUT;
    return {moving && events != 0 ? reads.from : -1, events, 0};
  }

  // Until the first delayed piece is due.
  int patience(SteadyTime now) const {
    std::int64_t least = -1;
    for (const Relay& relay : relays_) {
      for (const Flow* flow : {&relay.up, &relay.down}) {
        if (flow->pieces.empty() || flow->pieces.front().due <= now) continue;
        auto left = std::chrono::ceil<std::chrono::milliseconds>(flow->pieces.front().due - now);
        if (least < 0 || left.count() < least) least = left.count();
      }
    }
    return static_cast<int>(least);
  }

  bool advance(Relay& relay, short client, short server, SteadyTime now) {
    const SteadyTime due = now + std::chrono::milliseconds(proxy_.delayMs_.load());
    constexpr short kReadable = POLLIN | POLLHUP | POLLERR;
    bool open = true;
    if ((client & kReadable) != 0 && relay.up.wantsRead()) open = relay.up.read(due);
    if (open && (server & kReadable) != 0 && relay.down.wantsRead()) open = relay.down.read(due);
    open = open && relay.up.write(now) && relay.down.write(now);
    const std::size_t limit = proxy_.cutAfter_;
    if (limit != 0 && relay.up.passed >= limit) open = false;
    relay.up.tellEnd();
    relay.down.tellEnd();
    return open && !(relay.up.shut && relay.down.shut);
  }

  void accept() {
    const int client = ::accept4(proxy_.listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const ProxyTarget& target = proxy_.target_;
    const int server = proxy_.mode_ == Mode::kRefuse ? -1
                       : target.path.empty()         ? connectLoopback(target.port)
                                                     : connectPath(target.path);
    if (server < 0) {
      ::close(client);
      return;
    }
    Relay relay{{client, server, {}, 0, 0, false, false}, {server, client, {}, 0, 0, false, false}};
    relays_.push_back(std::move(relay));
  }

  // False: the proxy ends.
  bool obey() {
    char command = 0;
    FM_CHECK(::read(proxy_.wake_[0], &command, 1) == 1);
    if (command == 'c') cut();
    if (command == 'h') {
      for (Relay& relay : relays_) {
        if (relay.up.shut) continue;
        ::shutdown(relay.up.to, SHUT_WR);
        relay.up.pieces.clear();
        relay.up.held = 0;
        relay.up.ended = true;
        relay.up.shut = true;
      }
    }
    return command != 'q';
  }

  void cut() {
    for (Relay& relay : relays_) relay.close();
    relays_.clear();
  }

  TcpProxy& proxy_;
  std::list<Relay> relays_;
};

TcpProxy::TcpProxy(ProxyTarget target) : target_(std::move(target)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  FM_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  FM_CHECK(::listen(listener_, 64) == 0);
  socklen_t size = sizeof address;
  FM_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  FM_CHECK(::pipe2(wake_, O_CLOEXEC) == 0);
  thread_ = std::thread([this] { Loop(*this).run(); });
}

TcpProxy::~TcpProxy() {
  tell('q');
  thread_.join();
  for (int descriptor : {listener_, wake_[0], wake_[1]}) ::close(descriptor);
}

void TcpProxy::tell(char command) { FM_CHECK(::write(wake_[1], &command, 1) == 1); }

void TcpProxy::set(Mode mode) {
  mode_ = mode;
  tell('m');
}

void TcpProxy::pass() {
  delayMs_ = 0;
  set(Mode::kPass);
}
void TcpProxy::stall() { set(Mode::kStall); }
void TcpProxy::refuse() { set(Mode::kRefuse); }
void TcpProxy::cutAll() { tell('c'); }
void TcpProxy::halfClose() { tell('h'); }
void TcpProxy::delay(std::chrono::milliseconds by) {
  delayMs_ = by.count();
  set(Mode::kPass);
}

}  // namespace fleetmark::support
