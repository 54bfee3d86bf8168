// A TCP relay on loopback that can be told to misbehave.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace fleetmark::rpc {

class TestProxy {
 public:
  explicit TestProxy(std::uint16_t target);
  ~TestProxy();
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  void stall();   // connections stay open, nothing passes any more
  void pass();    // the usual way
  void cutAll();  // closes every connection
  void refuse();  // new connections are closed at once
  // Closes a connection once so many bytes have passed from the client; 0: never.
  void cutAfter(std::size_t bytes);

 private:
  enum class Mode { kPass, kStall, kRefuse };
  void loop();
  void tell(char command);

  std::uint16_t target_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::atomic<Mode> mode_{Mode::kPass};
  std::atomic<std::size_t> cutAfter_{0};
  std::thread thread_;
};

// A connected blocking socket; -1 when refused.
int connectLoopback(std::uint16_t port);

}  // namespace fleetmark::rpc
