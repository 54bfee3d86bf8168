// A relay on loopback that can be told to misbehave: cut, black hole, delay, half close. A thread
// of its own; every call returns at once, from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace fleetmark::support {

// Where a proxy leads: a port of 127.0.0.1, or the path of a socket.
struct ProxyTarget {
  std::uint16_t port = 0;
  std::string path;
};

class TcpProxy {
 public:
  explicit TcpProxy(ProxyTarget target);
  explicit TcpProxy(std::uint16_t port) : TcpProxy(ProxyTarget{port, {}}) {}
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  void pass();       // the usual way; also ends a delay
  void stall();      // a black hole: connections stay open and are made, nothing passes
  void refuse();     // new connections are closed at once
  void cutAll();     // closes every connection
  void halfClose();  // of every connection: the server hears that the client has ended, and from
                     // then on nothing of it; the client hears nothing of that
  // What was read passes only after so long.
  void delay(std::chrono::milliseconds by);
  // Closes a connection once so many bytes have passed from the client; 0: never.
  void cutAfter(std::size_t bytes) { cutAfter_ = bytes; }

 private:
  class Loop;
  enum class Mode { kPass, kStall, kRefuse };
  void tell(char command);
  void set(Mode mode);

  ProxyTarget target_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::atomic<Mode> mode_{Mode::kPass};
  std::atomic<std::int64_t> delayMs_{0};
  std::atomic<std::size_t> cutAfter_{0};
  std::thread thread_;
};

// A connected blocking socket; -1 when refused.
int connectLoopback(std::uint16_t port);

}  // namespace fleetmark::support
