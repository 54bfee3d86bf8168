#include "common/rpc/rpc_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/common/rpc/rpc_client_rig.h"

namespace fleetmark::rpc {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

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

TEST_F(RpcClientTest, CoordinatorThatCantLookUpItsListIsUnavailableAndAskedAgain) {
  auto lookups = std::make_shared<std::atomic<int>>(0);
  TestCoordinator::Options options;
  options.authorise = [lookups](const PeerIdentity&) -> base::Status {
    if (++*lookups < 3) return base::unavailable("no connection to the database");
    return {};
  };
  TestCoordinator coordinator(fleet_.coordinator(), std::move(options));
  auto client = clientOf(configFor(fleet_.agent(), {coordinator.address()}));
  EXPECT_TRUE(ping(*client)) << "an outage is no verdict on the certificate";
  EXPECT_GE(lookups->load(), 3);
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
          return someOf(session)->pingRequest().send().then(
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
