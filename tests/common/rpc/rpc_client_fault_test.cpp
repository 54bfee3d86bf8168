// RpcClient when the wire or the other end fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "tests/common/rpc/rpc_client_rig.h"
#include "tests/support/tcp_proxy.h"

namespace fleetmark::rpc {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

// A coordinator in a process of its own, to be killed or stopped.
class CoordinatorProcess {
 public:
  explicit CoordinatorProcess(const TlsIdentity& identity) {
    EXPECT_EQ(::pipe(events_), 0);
    pid_ = ::fork();
    if (pid_ == 0) serve(identity);
    EXPECT_EQ(::read(events_[0], &port_, sizeof port_), static_cast<ssize_t>(sizeof port_));
  }
  ~CoordinatorProcess() {
    signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    for (int descriptor : events_) ::close(descriptor);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void waitForHanging() {
    char mark = 0;
    EXPECT_EQ(::read(events_[0], &mark, 1), 1);
  }
  void signal(int number) { EXPECT_EQ(::kill(pid_, number), 0); }

 private:
  [[noreturn]] void serve(const TlsIdentity& identity) {
    TestCoordinator coordinator(identity);
    const std::uint16_t port = coordinator.port();
    const bool told = ::write(events_[1], &port, sizeof port) == sizeof port &&
                      coordinator.waitForHanging(1) && ::write(events_[1], "h", 1) == 1;
    while (told) ::pause();
    ::_exit(1);
  }

  int events_[2] = {-1, -1};
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

class RpcClientFaultTest : public RpcClientTest {};

TEST_F(RpcClientFaultTest, CutDuringACallIsUnavailableAndTheNextCallReconnects) {
  TestCoordinator coordinator(fleet_.coordinator());
  support::TcpProxy proxy(coordinator.port());
  auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
  auto pending = std::async(std::launch::async, [&] { return hang(*client); });
  ASSERT_TRUE(coordinator.waitForHanging(1));
  proxy.cutAll();
  const auto answer = pending.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable) << answer.error().message;
  EXPECT_TRUE(pingSoon(*client));
  EXPECT_EQ(client->generation(), 2u);
  EXPECT_TRUE(coordinator.waitForDisconnected(1));
}

TEST_F(RpcClientFaultTest, CutBetweenCallsIsHealed) {
  TestCoordinator coordinator(fleet_.coordinator());
  support::TcpProxy proxy(coordinator.port());
  auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
  for (std::size_t i = 1; i <= 5; ++i) {
    ASSERT_TRUE(ping(*client));
    proxy.cutAll();
    ASSERT_TRUE(coordinator.waitForDisconnected(i));
    while (client->generation() == i && client->connected()) std::this_thread::yield();
  }
  EXPECT_TRUE(pingSoon(*client));
}

// Wherever in the handshake or the first calls the wire breaks, the client gets there in the end.
TEST_F(RpcClientFaultTest, CutAtEveryPlaceIsSurvived) {
  TestCoordinator coordinator(fleet_.coordinator());
  support::TcpProxy proxy(coordinator.port());
  for (std::size_t bytes = 100; bytes <= 2600; bytes += 500) {
    proxy.cutAfter(bytes);
    auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
    const auto cut = hang(*client, milliseconds(150));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::kUnavailable) << bytes << ": " << cut.error().message;
    proxy.cutAfter(0);
    EXPECT_TRUE(pingSoon(*client)) << bytes;
  }
}

TEST_F(RpcClientFaultTest, DroppedConnectionIsMadeAgain) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  ASSERT_TRUE(ping(*client));
  client->dropConnection();
  ASSERT_TRUE(coordinator.waitForDisconnected(1));
  ASSERT_TRUE(coordinator.waitForConnected(2));
  EXPECT_TRUE(pingSoon(*client));
  EXPECT_EQ(client->generation(), 2u);
  EXPECT_THAT(client->lastError()->message, HasSubstr("dropped on request"));
}

TEST_F(RpcClientFaultTest, GoesToASecondCoordinatorWhenTheFirstIsGone) {
  auto first = std::make_unique<TestCoordinator>(fleet_.coordinator());
  TestCoordinator second(fleet_.coordinator());
  support::TcpProxy gate(second.port());
  gate.refuse();
  auto client = clientOf(configFor(fleet_.agent(), {first->address(), gate.address()}));
  ASSERT_TRUE(ping(*client));
  EXPECT_EQ(first->connections(), 1u);
  gate.pass();
  first.reset();
  EXPECT_TRUE(pingSoon(*client));
  EXPECT_EQ(second.connections(), 1u);
}

TEST_F(RpcClientFaultTest, OneRefusalAmongManyCoordinatorsIsNotFinal) {
  const TestFleet other;
  TestCoordinator wrong(other.coordinator());
  TestCoordinator right(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {wrong.address(), right.address()}));
  EXPECT_TRUE(pingSoon(*client));
}

TEST_F(RpcClientFaultTest, SilentPeerIsFoundByTheHeartbeat) {
  TestCoordinator coordinator(fleet_.coordinator());
  support::TcpProxy proxy(coordinator.port());
  auto config = configFor(fleet_.agent(), {proxy.address()});
  config.heartbeatInterval = milliseconds(50);
  config.heartbeatLimit = milliseconds(200);
  auto client = clientOf(config);
  auto pending = std::async(std::launch::async, [&] { return hang(*client); });
  ASSERT_TRUE(coordinator.waitForHanging(1));
  proxy.stall();
  const auto answer = pending.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(client->lastError()->message,
              testing::AnyOf(HasSubstr("silent"), HasSubstr("no answer")));
  proxy.cutAll();
  proxy.pass();
  EXPECT_TRUE(pingSoon(*client));
}

TEST_F(RpcClientFaultTest, KilledCoordinatorEndsTheCallAndItsSuccessorIsFound) {
  CoordinatorProcess first(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {first.address()}));
  auto pending = std::async(std::launch::async, [&] { return hang(*client); });
  first.waitForHanging();
  first.signal(SIGKILL);
  const auto answer = pending.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable) << answer.error().message;
  TestCoordinator::Options options;
  options.address = first.address();
  TestCoordinator second(fleet_.coordinator(), options);
  EXPECT_TRUE(pingSoon(*client));
  EXPECT_EQ(client->generation(), 2u);
}

TEST_F(RpcClientFaultTest, StoppedCoordinatorIsFoundByTheHeartbeat) {
  CoordinatorProcess coordinator(fleet_.coordinator());
  auto config = configFor(fleet_.agent(), {coordinator.address()});
  config.heartbeatInterval = milliseconds(50);
  config.heartbeatLimit = milliseconds(200);
  auto client = clientOf(config);
  auto pending = std::async(std::launch::async, [&] { return hang(*client); });
  coordinator.waitForHanging();
  coordinator.signal(SIGSTOP);
  const auto answer = pending.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  coordinator.signal(SIGCONT);
  EXPECT_TRUE(pingSoon(*client));
}

TEST_F(RpcClientFaultTest, HeartbeatKeepsAnIdleConnection) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto config = configFor(fleet_.agent(), {coordinator.address()});
  config.heartbeatInterval = milliseconds(10);
  auto client = clientOf(config);
  ASSERT_TRUE(ping(*client));
  while (coordinator.pings() < 12) std::this_thread::yield();
  EXPECT_EQ(client->generation(), 1u);
}

TEST_F(RpcClientFaultTest, PeerThatNeverAnswersTheHandshakeIsLeft) {
  TestCoordinator coordinator(fleet_.coordinator());
  support::TcpProxy mute(coordinator.port());
  mute.stall();
  auto config = configFor(fleet_.agent(), {mute.address()});
  config.connectLimit = milliseconds(100);
  auto client = clientOf(config);
  const auto answer = ping(*client, milliseconds(500));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("no answer from " + mute.address()));
}

TEST_F(RpcClientFaultTest, ShutdownFreesBlockedCalls) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  std::vector<std::future<base::Result<int>>> pending;
  for (int i = 0; i < 4; ++i) {
    pending.push_back(std::async(std::launch::async, [&] { return hang(*client); }));
  }
  ASSERT_TRUE(coordinator.waitForHanging(4));
  client->shutdown();
  client->shutdown();
  for (auto& call : pending) EXPECT_EQ(call.get().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(ping(*client).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(client->connected());
}

TEST_F(RpcClientFaultTest, ShutdownWhileConnectingFreesBlockedCalls) {
  TestCoordinator coordinator(fleet_.coordinator());
  support::TcpProxy proxy(coordinator.port());
  proxy.stall();
  auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
  auto pending = std::async(std::launch::async, [&] { return ping(*client, seconds(60)); });
  client->shutdown();
  EXPECT_EQ(pending.get().error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace fleetmark::rpc
