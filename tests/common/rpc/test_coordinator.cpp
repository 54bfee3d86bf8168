#include "tests/common/rpc/test_coordinator.h"

#include "common/base/check.h"
#include "schema/coordinator.capnp.h"

namespace fleetmark::rpc {

FM_KJ_CLASS_BEGIN
struct TestCoordinator::Servant final : public schema::Coordinator::Server {
  Servant(Counts& shared, PeerIdentity identity) : counts(shared), peer(std::move(identity)) {}

  kj::Promise<void> ping(PingContext context) override {
    counts.add(&Counts::pings);
    auto results = context.getResults();
    results.setVersion("test");
    results.setRole(std::string(toString(peer.role)));
    return kj::READY_NOW;
  }
  kj::Promise<void> agent(AgentContext context) override {
    auto error = context.getResults().initResult().initError();
    error.setCode(schema::ErrorCode::DENIED);
    return kj::READY_NOW;
  }
  kj::Promise<void> operator_(OperatorContext) override {
    counts.add(&Counts::hanging);
    return kj::NEVER_DONE;
  }

  Counts& counts;
  PeerIdentity peer;
};
FM_KJ_CLASS_END

void TestCoordinator::Counts::add(std::size_t Counts::*which) {
  const std::lock_guard lock(mutex);
  ++(this->*which);
  changed.notify_all();
}

bool TestCoordinator::Counts::waitFor(std::size_t Counts::*which, std::size_t count) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, std::chrono::seconds(20), [&] { return this->*which >= count; });
}

TestCoordinator::TestCoordinator(const TlsIdentity& identity, Options options)
    : thread_([this, identity, options = std::move(options)] { loop(identity, options); }) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_; });
}

TestCoordinator::~TestCoordinator() {
  stop_->fulfill();
  thread_.join();
}

void TestCoordinator::loop(const TlsIdentity& identity, const Options& options) {
  UvLoop loop;
  RpcServerConfig config;
  config.address = options.address;
  config.tls = identity;
  config.limits = options.limits;
  config.handshakeLimit = options.handshakeLimit;
  config.maxUnauthenticated = options.maxUnauthenticated;
  config.maxUnauthenticatedPerAddress = options.maxUnauthenticatedPerAddress;
  auto server =
      RpcServer::listen(loop.port(), std::move(config),
                        {[&options](const PeerIdentity& peer) -> kj::Promise<base::Status> {
                           return options.authorise ? options.authorise(peer) : base::Status();
                         },
                         [this](const PeerIdentity& peer) -> capnp::Capability::Client {
                           counts_.add(&Counts::connected);
                           return kj::heap<Servant>(counts_, peer);
                         },
                         [this](const PeerIdentity&) { counts_.add(&Counts::disconnected); }})
          .value();
  auto stop = kj::newPromiseAndCrossThreadFulfiller<void>();
  {
    const std::lock_guard lock(mutex_);
    server_ = server;
    port_ = server->boundPort();
    address_ = server->boundAddress();
    executor_ = kj::getCurrentThreadExecutor().addRef();
    stop_ = kj::mv(stop.fulfiller);
    ready_ = true;
  }
  changed_.notify_all();
  stop.promise.wait(loop.scope());
}

void TestCoordinator::onLoop(std::function<void(RpcServer&)> fn) {
  executor_->executeSync([this, &fn] { fn(*server_); });
}

std::size_t TestCoordinator::connections() {
  std::size_t count = 0;
  onLoop([&count](RpcServer& server) { count = server.connectionCount(); });
  return count;
}

std::size_t TestCoordinator::unauthenticated() {
  std::size_t count = 0;
  onLoop([&count](RpcServer& server) { count = server.unauthenticatedCount(); });
  return count;
}

bool TestCoordinator::waitForConnected(std::size_t count) {
  return counts_.waitFor(&Counts::connected, count);
}
bool TestCoordinator::waitForDisconnected(std::size_t count) {
  return counts_.waitFor(&Counts::disconnected, count);
}
bool TestCoordinator::waitForHanging(std::size_t count) {
  return counts_.waitFor(&Counts::hanging, count);
}
std::size_t TestCoordinator::pings() {
  const std::lock_guard lock(counts_.mutex);
  return counts_.pings;
}

}  // namespace fleetmark::rpc
