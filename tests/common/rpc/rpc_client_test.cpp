#include "common/rpc/rpc_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>

#include "tests/common/rpc/test_coordinator.h"
#include "tests/common/rpc/test_fleet.h"
#include "tests/common/rpc/test_proxy.h"

namespace fleetmark::rpc {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

RpcClientConfig configFor(const TlsIdentity& identity, std::vector<std::string> addresses) {
  RpcClientConfig config;
  config.addresses = std::move(addresses);
  config.tls = identity;
  config.backoffBase = milliseconds(5);
  config.backoffCap = milliseconds(50);
  return config;
}

base::Result<std::string> ping(RpcClient& client, base::Nanos limit = seconds(20)) {
  return client.call<std::string>(
      [](schema::Coordinator::Client coordinator) {
        return coordinator.pingRequest().send().then(
            [](auto&& response) -> base::Result<std::string> {
              return std::string(response.getRole().cStr());
            });
      },
      limit);
}

// A call that is never answered.
base::Result<int> hang(RpcClient& client, base::Nanos limit = seconds(60)) {
  return client.call<int>(
      [](schema::Coordinator::Client coordinator) {
        return coordinator.operatorRequest().send().then(
            [](auto&&) -> base::Result<int> { return 1; });
      },
      limit);
}

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

class RpcClientTest : public testing::Test {
 protected:
  std::unique_ptr<RpcClient> clientOf(RpcClientConfig config, RpcClientHooks hooks = {}) {
    return RpcClient::start(std::move(config), kj::mv(hooks)).value();
  }

  TestFleet fleet_;
};

TEST_F(RpcClientTest, CallsAndIsKnownByItsCertificate) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto agent = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  auto person = clientOf(configFor(fleet_.operatorNamed("alice"), {coordinator.address()}));
  EXPECT_EQ(agent->generation(), 0u);
  EXPECT_EQ(ping(*agent).value(), "agent");
  EXPECT_EQ(ping(*person).value(), "operator");
  EXPECT_TRUE(agent->connected());
  EXPECT_EQ(agent->generation(), 1u);
}

TEST_F(RpcClientTest, ConnectsOnlyAtTheFirstCall) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  EXPECT_EQ(coordinator.connections(), 0u);
  ASSERT_TRUE(ping(*client));
  EXPECT_EQ(coordinator.connections(), 1u);
}

TEST_F(RpcClientTest, CallsFromManyThreadsShareOneConnection) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        if (ping(*client)) ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 400);
  EXPECT_EQ(client->generation(), 1u);
}

TEST_F(RpcClientTest, RefusesConfigurationThatCanNeverWork) {
  EXPECT_EQ(RpcClient::start(configFor(fleet_.agent(), {})).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(RpcClient::start(configFor(fleet_.agent(), {"nowhere"})).error().code,
            ErrorCode::kInvalid);
  TlsIdentity mixed = fleet_.agent();
  mixed.keyPem = crypto::makeKeyPem().value();
  EXPECT_THAT(RpcClient::start(configFor(mixed, {"127.0.0.1:1"})).error().message,
              HasSubstr("not the certificate's"));
  TlsIdentity garbage = fleet_.agent();
  garbage.caPem = "no PEM";
  EXPECT_EQ(RpcClient::start(configFor(garbage, {"127.0.0.1:1"})).error().code,
            ErrorCode::kInvalid);
}

TEST_F(RpcClientTest, NobodyThereIsUnavailableAndSaysWhere) {
  const std::uint16_t port = [this] { return TestCoordinator(fleet_.coordinator()).port(); }();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  auto client = clientOf(configFor(fleet_.agent(), {address}));
  const auto answer = ping(*client, milliseconds(300));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr(address));
  EXPECT_THAT(answer.error().message, HasSubstr("connection refused"));
}

TEST_F(RpcClientTest, WrongCaIsDeniedAtOnceOnBothSides) {
  TestCoordinator coordinator(fleet_.coordinator());
  const TestFleet other;
  // The client trusts the coordinator, but not the reverse.
  TlsIdentity stranger = other.agent();
  stranger.caPem = fleet_.ca().certificatePem;
  auto client = clientOf(configFor(stranger, {coordinator.address()}));
  const auto refused = ping(*client);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied) << refused.error().message;
  EXPECT_THAT(refused.error().message, HasSubstr("refuses this certificate"));

  // The client does not trust the coordinator.
  auto wary = clientOf(configFor(other.agent(), {coordinator.address()}));
  const auto distrusted = ping(*wary);
  ASSERT_FALSE(distrusted);
  EXPECT_EQ(distrusted.error().code, ErrorCode::kDenied) << distrusted.error().message;
  EXPECT_THAT(distrusted.error().message, HasSubstr("can't prove"));
}

TEST_F(RpcClientTest, ExpiredCertificateIsDenied) {
  TestCoordinator coordinator(fleet_.coordinator());
  const auto expired = fleet_.custom("agent:" + kAgentA + ":0102", crypto::CertificateUse::kClient,
                                     -std::chrono::hours(1));
  auto client = clientOf(configFor(expired, {coordinator.address()}));
  const auto answer = ping(*client);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kDenied) << answer.error().message;
  EXPECT_THAT(answer.error().message, HasSubstr("expired"));
}

TEST_F(RpcClientTest, RevokedCertificateIsDeniedWithTheCoordinatorsReason) {
  TestCoordinator::Options options;
  options.authorise = [](const PeerIdentity& peer) -> base::Status {
    if (peer.id == kAgentB) return base::denied("agent was revoked");
    return {};
  };
  TestCoordinator coordinator(fleet_.coordinator(), options);
  auto revoked = clientOf(configFor(fleet_.agent(kAgentB), {coordinator.address()}));
  auto good = clientOf(configFor(fleet_.agent(kAgentA), {coordinator.address()}));
  const auto answer = ping(*revoked);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kDenied) << answer.error().message;
  EXPECT_THAT(answer.error().message, HasSubstr("agent was revoked"));
  EXPECT_TRUE(ping(*good));
}

TEST_F(RpcClientTest, ServerThatIsNoCoordinatorIsDenied) {
  const auto imposter = fleet_.custom("operator:mallory:0102", crypto::CertificateUse::kServer);
  TestCoordinator coordinator(imposter);
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  const auto answer = ping(*client);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kDenied);
  EXPECT_THAT(answer.error().message, HasSubstr("operator:mallory"));
}

TEST_F(RpcClientTest, AgentsCertificateCanNotServe) {
  TestCoordinator coordinator(fleet_.agent());
  auto client = clientOf(configFor(fleet_.agent(kAgentB), {coordinator.address()}));
  const auto answer = ping(*client);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kDenied) << answer.error().message;
}

TEST_F(RpcClientTest, CallThatIsNotAnsweredEndsAtItsLimitAndTheConnectionStays) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  const auto answer = hang(*client, milliseconds(200));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("no answer"));
  EXPECT_TRUE(ping(*client));
  EXPECT_EQ(client->generation(), 1u);
}

TEST_F(RpcClientTest, ErrorsInsideTheAnswerPassThrough) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  const auto answer = client->call<int>(
      [](schema::Coordinator::Client c) {
        return c.agentRequest().send().then([](auto&& response) -> base::Result<int> {
          EXPECT_TRUE(response.getResult().isError());
          return base::conflict("from within");
        });
      },
      seconds(20));
  EXPECT_EQ(answer.error(), base::conflict("from within"));
}

TEST_F(RpcClientTest, ExceptionInTheFunctionEndsOnlyThatCall) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  const auto answer = client->call<int>(
      [](schema::Coordinator::Client) -> kj::Promise<base::Result<int>> {
        throw std::runtime_error("a mistake");
      },
      seconds(20));
  EXPECT_EQ(answer.error().code, ErrorCode::kInternal);
  EXPECT_TRUE(ping(*client));
}

TEST_F(RpcClientTest, CutDuringACallIsUnavailableAndTheNextCallReconnects) {
  TestCoordinator coordinator(fleet_.coordinator());
  TestProxy proxy(coordinator.port());
  auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
  auto pending = std::async(std::launch::async, [&] { return hang(*client); });
  ASSERT_TRUE(coordinator.waitForHanging(1));
  proxy.cutAll();
  const auto answer = pending.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable) << answer.error().message;
  EXPECT_TRUE(ping(*client));
  EXPECT_EQ(client->generation(), 2u);
  EXPECT_TRUE(coordinator.waitForDisconnected(1));
}

TEST_F(RpcClientTest, CutBetweenCallsIsHealed) {
  TestCoordinator coordinator(fleet_.coordinator());
  TestProxy proxy(coordinator.port());
  auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
  for (std::size_t i = 1; i <= 5; ++i) {
    ASSERT_TRUE(ping(*client));
    proxy.cutAll();
    ASSERT_TRUE(coordinator.waitForDisconnected(i));
    while (client->generation() == i && client->connected()) std::this_thread::yield();
  }
  EXPECT_TRUE(ping(*client));
}

// Wherever in the handshake or the first calls the wire breaks, the client gets there in the end.
TEST_F(RpcClientTest, CutAtEveryPlaceIsSurvived) {
  TestCoordinator coordinator(fleet_.coordinator());
  TestProxy proxy(coordinator.port());
  for (std::size_t bytes = 100; bytes <= 2600; bytes += 500) {
    proxy.cutAfter(bytes);
    auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
    const auto cut = hang(*client, milliseconds(150));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::kUnavailable) << bytes << ": " << cut.error().message;
    proxy.cutAfter(0);
    EXPECT_TRUE(ping(*client)) << bytes;
  }
}

TEST_F(RpcClientTest, DroppedConnectionIsMadeAgain) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  ASSERT_TRUE(ping(*client));
  client->dropConnection();
  ASSERT_TRUE(coordinator.waitForDisconnected(1));
  ASSERT_TRUE(coordinator.waitForConnected(2));
  EXPECT_TRUE(ping(*client));
  EXPECT_EQ(client->generation(), 2u);
  EXPECT_THAT(client->lastError()->message, HasSubstr("dropped on request"));
}

TEST_F(RpcClientTest, GoesToASecondCoordinatorWhenTheFirstIsGone) {
  auto first = std::make_unique<TestCoordinator>(fleet_.coordinator());
  TestCoordinator second(fleet_.coordinator());
  TestProxy gate(second.port());
  gate.refuse();
  auto client = clientOf(configFor(fleet_.agent(), {first->address(), gate.address()}));
  ASSERT_TRUE(ping(*client));
  EXPECT_EQ(first->connections(), 1u);
  gate.pass();
  first.reset();
  EXPECT_TRUE(ping(*client));
  EXPECT_EQ(second.connections(), 1u);
}

TEST_F(RpcClientTest, OneRefusalAmongManyCoordinatorsIsNotFinal) {
  const TestFleet other;
  TestCoordinator wrong(other.coordinator());
  TestCoordinator right(fleet_.coordinator());
  auto client = clientOf(configFor(fleet_.agent(), {wrong.address(), right.address()}));
  EXPECT_TRUE(ping(*client));
}

TEST_F(RpcClientTest, SilentPeerIsFoundByTheHeartbeat) {
  TestCoordinator coordinator(fleet_.coordinator());
  TestProxy proxy(coordinator.port());
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
  EXPECT_TRUE(ping(*client));
}

TEST_F(RpcClientTest, KilledCoordinatorEndsTheCallAndItsSuccessorIsFound) {
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
  EXPECT_TRUE(ping(*client));
  EXPECT_EQ(client->generation(), 2u);
}

TEST_F(RpcClientTest, StoppedCoordinatorIsFoundByTheHeartbeat) {
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
  EXPECT_TRUE(ping(*client));
}

TEST_F(RpcClientTest, HeartbeatKeepsAnIdleConnection) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto config = configFor(fleet_.agent(), {coordinator.address()});
  config.heartbeatInterval = milliseconds(10);
  auto client = clientOf(config);
  ASSERT_TRUE(ping(*client));
  while (coordinator.pings() < 12) std::this_thread::yield();
  EXPECT_EQ(client->generation(), 1u);
}

TEST_F(RpcClientTest, PeerThatNeverAnswersTheHandshakeIsLeft) {
  TestCoordinator coordinator(fleet_.coordinator());
  TestProxy mute(coordinator.port());
  mute.stall();
  auto config = configFor(fleet_.agent(), {mute.address()});
  config.connectLimit = milliseconds(100);
  auto client = clientOf(config);
  const auto answer = ping(*client, milliseconds(500));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("no answer from " + mute.address()));
}

TEST_F(RpcClientTest, ShutdownFreesBlockedCalls) {
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

TEST_F(RpcClientTest, ShutdownWhileConnectingFreesBlockedCalls) {
  TestCoordinator coordinator(fleet_.coordinator());
  TestProxy proxy(coordinator.port());
  proxy.stall();
  auto client = clientOf(configFor(fleet_.agent(), {proxy.address()}));
  auto pending = std::async(std::launch::async, [&] { return ping(*client, seconds(60)); });
  client->shutdown();
  EXPECT_EQ(pending.get().error().code, ErrorCode::kUnavailable);
}

TEST_F(RpcClientTest, HooksKeepStateOfEachConnection) {
  TestCoordinator coordinator(fleet_.coordinator());
  std::vector<std::string> events;  // the loop thread's until shutdown
  kj::Maybe<schema::Coordinator::Client> session;
  RpcClientHooks hooks;
  hooks.onConnected = [&](schema::Coordinator::Client c,
                          std::uint64_t generation) -> kj::Promise<base::Status> {
    events.push_back("up " + std::to_string(generation));
    return c.pingRequest().send().then([&session, c](auto&&) mutable -> base::Status {
      session = c;
      return {};
    });
  };
  hooks.onDisconnected = [&](std::uint64_t generation) {
    events.push_back("down " + std::to_string(generation));
    session = nullptr;
  };
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}), kj::mv(hooks));
  const auto useSession = [&] {
    return client->call<int>(
        [&session](schema::Coordinator::Client) {
          return KJ_ASSERT_NONNULL(session).pingRequest().send().then(
              [](auto&&) -> base::Result<int> { return 7; });
        },
        seconds(20));
  };
  EXPECT_EQ(useSession().value(), 7);
  client->dropConnection();
  ASSERT_TRUE(coordinator.waitForConnected(2));
  EXPECT_EQ(useSession().value(), 7);
  client->shutdown();
  EXPECT_THAT(events, testing::ElementsAre("up 1", "down 1", "up 2", "down 2"));
}

TEST_F(RpcClientTest, HookThatDeniesIsAnsweredToTheCaller) {
  TestCoordinator coordinator(fleet_.coordinator());
  std::atomic<int> ended{0};
  RpcClientHooks hooks;
  hooks.onConnected = [](schema::Coordinator::Client, std::uint64_t) -> kj::Promise<base::Status> {
    return base::Status(base::denied("not registered"));
  };
  hooks.onDisconnected = [&](std::uint64_t) { ++ended; };
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}), kj::mv(hooks));
  EXPECT_EQ(ping(*client).error(), base::denied("not registered"));
  EXPECT_GE(ended, 1);
}

TEST_F(RpcClientTest, WorksOverAUnixSocket) {
  char folder[] = "/tmp/fm-rpc-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  {
    TestCoordinator::Options options;
    options.address = "unix:" + std::string(folder) + "/s";
    TestCoordinator coordinator(fleet_.coordinator(), options);
    auto client = clientOf(configFor(fleet_.agent(), {options.address}));
    EXPECT_EQ(ping(*client).value(), "agent");
  }
  EXPECT_EQ(::rmdir(folder), 0) << "the socket's file was left";
}

TEST_F(RpcClientTest, FindsTheCoordinatorByName) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client =
      clientOf(configFor(fleet_.agent(), {"localhost:" + std::to_string(coordinator.port())}));
  EXPECT_TRUE(ping(*client));
}

}  // namespace
}  // namespace fleetmark::rpc
