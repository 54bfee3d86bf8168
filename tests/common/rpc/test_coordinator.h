// A coordinator on a thread of its own, just enough of one to be called.
#pragma once

#include <kj/async.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/rpc/rpc_server.h"

namespace fleetmark::rpc {

// ping() answers; agent() answers an error kDenied; operator() never answers.
class TestCoordinator {
 public:
  struct Options {
    std::string address = "127.0.0.1:0";
    RpcLimits limits;
    base::Nanos handshakeLimit = std::chrono::seconds(10);
    std::size_t maxUnauthenticated = 256;
    std::size_t maxUnauthenticatedPerAddress = 128;
    // On the loop thread; null: everybody may come in.
    std::function<base::Status(const PeerIdentity&)> authorise;
  };

  explicit TestCoordinator(const TlsIdentity& identity) : TestCoordinator(identity, Options()) {}
  TestCoordinator(const TlsIdentity& identity, Options options);
  ~TestCoordinator();

  std::uint16_t port() const { return port_; }
  const std::string& address() const { return address_; }

  // Runs on the loop thread and waits for it.
  void onLoop(std::function<void(RpcServer&)> fn);
  std::size_t connections();
  std::size_t unauthenticated();

  // Waits until so many connections were let in, ended, or calls to operator() began, in all.
  // False after 20 s.
  bool waitForConnected(std::size_t count);
  bool waitForDisconnected(std::size_t count);
  bool waitForHanging(std::size_t count);
  std::size_t pings();

 private:
  struct Servant;
  struct Counts {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t connected = 0;
    std::size_t disconnected = 0;
    std::size_t hanging = 0;
    std::size_t pings = 0;
    void add(std::size_t Counts::*which);
    bool waitFor(std::size_t Counts::*which, std::size_t count);
  };

  void loop(const TlsIdentity& identity, const Options& options);

  Counts counts_;
  std::uint16_t port_ = 0;
  std::string address_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  kj::Own<const kj::Executor> executor_;
  kj::Own<kj::CrossThreadPromiseFulfiller<void>> stop_;
  RpcServer* server_ = nullptr;
  std::thread thread_;
};

}  // namespace fleetmark::rpc
