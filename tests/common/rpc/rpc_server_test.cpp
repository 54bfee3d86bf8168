// The server against peers that are not ours: openssl, garbage, silence, floods.
#include "common/rpc/rpc_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <future>

#include "common/base/clock.h"
#include "common/rpc/client_link.h"
#include "common/rpc/rpc_client.h"
#include "tests/common/rpc/test_coordinator.h"
#include "tests/common/rpc/test_fleet.h"
#include "tests/support/tcp_proxy.h"

namespace fleetmark::rpc {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class Socket {
 public:
  explicit Socket(std::uint16_t port) : descriptor_(support::connectLoopback(port)) {}
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  bool open() const { return descriptor_ >= 0; }
  void send(const std::string& bytes) {
    ASSERT_GE(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
  }
  // Reads until the peer ends it; false when it has not after 20 s.
  bool waitForEnd() {
    for (;;) {
      pollfd poll{descriptor_, POLLIN, 0};
      if (::poll(&poll, 1, 20'000) <= 0) return false;
      char buffer[4096];
      if (::recv(descriptor_, buffer, sizeof buffer, 0) <= 0) return true;
    }
  }

 private:
  int descriptor_;
};

class RpcServerTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_), nullptr); }
  void TearDown() override { EXPECT_EQ(std::system((std::string("rm -r ") + folder_).c_str()), 0); }

  std::unique_ptr<RpcClient> clientOf(const TlsIdentity& identity,
                                      const TestCoordinator& coordinator) {
    RpcClientConfig config;
    config.addresses = {coordinator.address()};
    config.tls = identity;
    config.backoffBase = milliseconds(5);
    config.backoffCap = milliseconds(50);
    return RpcClient::start(std::move(config)).value();
  }
  base::Status ping(RpcClient& client, base::Nanos limit = seconds(20)) {
    return client.call<void>(
        [](schema::Coordinator::Client coordinator) {
          return coordinator.pingRequest().send().then([](auto&&) -> base::Status { return {}; });
        },
        limit);
  }
  // Again while kUnavailable: the end of the old connection may not be known yet.
  base::Status pingSoon(RpcClient& client) {
    const base::SystemClock clock;
    const auto end = clock.mono() + seconds(20);
    for (;;) {
      auto answer = ping(client);
      const bool gone = !answer && answer.error().code == ErrorCode::kUnavailable;
      if (!gone || clock.mono() > end) return answer;
    }
  }
  bool answers(const TestCoordinator& coordinator) {
    auto client = clientOf(fleet_.agent(), coordinator);
    return ping(*client).has_value();
  }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = std::string(folder_) + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  // What `openssl s_client` says of the server.
  std::string sClient(std::uint16_t port, const std::string& arguments) {
    const std::string command =
        "timeout 20 openssl s_client -connect 127.0.0.1:" + std::to_string(port) + " -CAfile " +
        write("ca.pem", fleet_.ca().certificatePem) + " " + arguments + " 2>&1 </dev/null";
    std::string output;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    char buffer[4096];
    while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) {
      output.append(buffer, size);
    }
    ::pclose(pipe);
    return output;
  }
  std::string with(const TlsIdentity& identity) {
    return " -cert " + write("cert.pem", identity.certificatePem) + " -key " +
           write("key.pem", identity.keyPem);
  }

  char folder_[24] = "/tmp/fm-srv-XXXXXX";
  TestFleet fleet_;
};

TEST_F(RpcServerTest, OpensslIsLetInWithACertificateAndSeesOurs) {
  TestCoordinator coordinator(fleet_.coordinator());
  const std::string seen = sClient(
      coordinator.port(),
      "-tls1_3 -verify_return_error -verify_hostname fleetmark-coordinator" + with(fleet_.agent()));
  EXPECT_THAT(seen, HasSubstr("TLSv1.3"));
  EXPECT_THAT(seen, HasSubstr("Verify return code: 0 (ok)"));
  EXPECT_THAT(seen, HasSubstr("coordinator:main:"));
  EXPECT_TRUE(coordinator.waitForConnected(1));
  EXPECT_TRUE(coordinator.waitForDisconnected(1));
}

TEST_F(RpcServerTest, OpensslIsRefusedWithoutACertificate) {
  TestCoordinator coordinator(fleet_.coordinator());
  const std::string seen = sClient(coordinator.port(), "-tls1_3 -ign_eof");
  EXPECT_THAT(seen, HasSubstr("alert certificate required"));
  EXPECT_EQ(coordinator.connections(), 0u);
  EXPECT_TRUE(answers(coordinator));
}

TEST_F(RpcServerTest, OpensslIsRefusedWithAnotherCasCertificate) {
  TestCoordinator coordinator(fleet_.coordinator());
  const TestFleet other;
  const std::string seen = sClient(coordinator.port(), "-tls1_3 -ign_eof" + with(other.agent()));
  EXPECT_THAT(seen, HasSubstr("alert"));
  EXPECT_EQ(coordinator.connections(), 0u);
  EXPECT_TRUE(answers(coordinator));
}

TEST_F(RpcServerTest, OldTlsIsRefused) {
  TestCoordinator coordinator(fleet_.coordinator());
  const std::string seen = sClient(coordinator.port(), "-tls1_2" + with(fleet_.agent()));
  EXPECT_THAT(seen, HasSubstr("alert protocol version"));
  EXPECT_EQ(coordinator.connections(), 0u);
}

TEST_F(RpcServerTest, NameThatIsNoIdentityIsRefused) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client =
      clientOf(fleet_.custom("just a name", crypto::CertificateUse::kClient), coordinator);
  const auto refused = ping(*client);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied) << refused.error().message;
  EXPECT_THAT(refused.error().message, HasSubstr("just a name"));
}

TEST_F(RpcServerTest, ServersCertificateIsNoClients) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(fleet_.coordinator(), coordinator);
  const auto refused = ping(*client);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied) << refused.error().message;
}

TEST_F(RpcServerTest, GarbageIsClosedAndTheServerGoesOn) {
  TestCoordinator coordinator(fleet_.coordinator());
  for (const std::string& garbage :
       {std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), std::string(100'000, '\xff'),
        std::string(1000, '\0'),
        std::string("\x16\x03\x01\xff\xff", 5) + std::string(70'000, 'x')}) {
    Socket socket(coordinator.port());
    socket.send(garbage);
    EXPECT_TRUE(socket.waitForEnd());
  }
  EXPECT_TRUE(answers(coordinator));
}

TEST_F(RpcServerTest, HandshakeFailureIsLoggedOncePerAddress) {
  testing::internal::CaptureStderr();
  {
    TestCoordinator coordinator(fleet_.coordinator());
    for (int i = 0; i < 5; ++i) {
      Socket socket(coordinator.port());
      socket.send("nonsense");
      EXPECT_TRUE(socket.waitForEnd());
    }
  }
  const std::string log = testing::internal::GetCapturedStderr();
  const auto first = log.find("rpc.handshake_failed");
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("rpc.handshake_failed", first + 1), std::string::npos) << log;
}

TEST_F(RpcServerTest, SilentConnectionIsClosedAtTheHandshakeLimit) {
  TestCoordinator::Options options;
  options.handshakeLimit = milliseconds(50);
  TestCoordinator coordinator(fleet_.coordinator(), options);
  Socket silent(coordinator.port());
  EXPECT_TRUE(silent.waitForEnd());
  Socket half(coordinator.port());
  half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));  // a ClientHello begins, and no more
  EXPECT_TRUE(half.waitForEnd());
  EXPECT_TRUE(answers(coordinator));
}

TEST_F(RpcServerTest, AuthoriserThatNeverAnswersIsUnderTheSameLimit) {
  TestCoordinator::Options options;
  options.handshakeLimit = milliseconds(200);
  std::atomic<int> asked{0};
  options.authorise = [&asked](const PeerIdentity&) -> base::Status {
    if (++asked == 1) throw std::runtime_error("the store is away");
    return {};
  };
  TestCoordinator coordinator(fleet_.coordinator(), options);
  auto client = clientOf(fleet_.agent(), coordinator);
  EXPECT_TRUE(ping(*client)) << "one failed authorisation is not the end";
  EXPECT_GE(asked, 2);
}

TEST_F(RpcServerTest, FloodOfSilentConnectionsKeepsNobodyOutForLong) {
  TestCoordinator::Options options;
  options.handshakeLimit = milliseconds(100);
  options.maxUnauthenticated = 8;
  options.maxUnauthenticatedPerAddress = 8;
  TestCoordinator coordinator(fleet_.coordinator(), options);
  std::vector<Socket> flood;
  for (int i = 0; i < 100; ++i) flood.emplace_back(coordinator.port());
  EXPECT_TRUE(answers(coordinator));
  EXPECT_LE(coordinator.unauthenticated(), 8u);
}

TEST_F(RpcServerTest, OneAddressCanNotTakeAllPlaces) {
  TestCoordinator::Options options;
  options.maxUnauthenticatedPerAddress = 2;
  TestCoordinator coordinator(fleet_.coordinator(), options);
  Socket first(coordinator.port());
  Socket second(coordinator.port());
  Socket third(coordinator.port());
  EXPECT_TRUE(third.waitForEnd());
  EXPECT_EQ(coordinator.unauthenticated(), 2u);
}

TEST_F(RpcServerTest, MessageOverTheLimitEndsOnlyThatConnection) {
  TestCoordinator::Options options;
  options.limits.messageBytes = 64 * 1024;
  TestCoordinator coordinator(fleet_.coordinator(), options);
  auto other = clientOf(fleet_.agent(kAgentB), coordinator);
  ASSERT_TRUE(ping(*other));
  auto client = clientOf(fleet_.agent(), coordinator);
  const auto tooMuch = client->call<int>(
      [](schema::Coordinator::Client coordinatorClient) {
        // Any call can carry it: the text goes where the parameters of ping() would be.
        auto request = coordinatorClient.typelessRequest(capnp::typeId<schema::Coordinator>(), 0,
                                                         capnp::MessageSize{20'000, 0});
        request.initAs<capnp::Text>(100'000);
        return request.send().then([](auto&&) -> base::Result<int> { return 1; });
      },
      seconds(20));
  ASSERT_FALSE(tooMuch);
  EXPECT_EQ(tooMuch.error().code, ErrorCode::kUnavailable) << tooMuch.error().message;
  EXPECT_TRUE(pingSoon(*client)) << "by a new connection";
  EXPECT_EQ(client->generation(), 2u);
  EXPECT_TRUE(ping(*other));
  EXPECT_EQ(other->generation(), 1u);
}

TEST_F(RpcServerTest, PeerThatDiesInACallIsDisconnected) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(fleet_.agent(), coordinator);
  auto hanging = std::async(std::launch::async, [&] {
    return client->call<int>(
        [](schema::Coordinator::Client c) {
          return c.operatorRequest().send().then([](auto&&) -> base::Result<int> { return 1; });
        },
        seconds(60));
  });
  ASSERT_TRUE(coordinator.waitForHanging(1));
  client->shutdown();
  EXPECT_EQ(hanging.get().error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(coordinator.waitForDisconnected(1));
  EXPECT_EQ(coordinator.connections(), 0u);
}

TEST_F(RpcServerTest, CutEndsThatPeerAlone) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto a = clientOf(fleet_.agent(kAgentA), coordinator);
  auto b = clientOf(fleet_.agent(kAgentB), coordinator);
  ASSERT_TRUE(ping(*a));
  ASSERT_TRUE(ping(*b));
  std::size_t count = 0;
  coordinator.onLoop([&](RpcServer& server) { count = server.cut(PeerRole::kAgent, kAgentA); });
  EXPECT_EQ(count, 1u);
  EXPECT_TRUE(coordinator.waitForDisconnected(1));
  ASSERT_TRUE(coordinator.waitForConnected(3)) << "it comes back by itself";
  EXPECT_TRUE(ping(*b));
  EXPECT_EQ(b->generation(), 1u);
}

TEST_F(RpcServerTest, StopCutsEverybodyAndListensNoMore) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(fleet_.agent(), coordinator);
  ASSERT_TRUE(ping(*client));
  coordinator.onLoop([](RpcServer& server) {
    server.stop();
    server.stop();
    EXPECT_EQ(server.connectionCount(), 0u);
  });
  EXPECT_TRUE(coordinator.waitForDisconnected(1));
  EXPECT_FALSE(Socket(coordinator.port()).open());
}

TEST_F(RpcServerTest, NewIdentityIsForNewConnections) {
  TestCoordinator coordinator(fleet_.coordinator());
  auto client = clientOf(fleet_.agent(), coordinator);
  ASSERT_TRUE(ping(*client));
  const auto renewed = fleet_.custom("coordinator:renewed:01", crypto::CertificateUse::kServer);
  coordinator.onLoop([&](RpcServer& server) {
    EXPECT_EQ(server.replaceIdentity({"x", "y", "z"}).error().code, ErrorCode::kInvalid);
    EXPECT_TRUE(server.replaceIdentity(renewed));
  });
  EXPECT_TRUE(ping(*client));
  EXPECT_EQ(client->generation(), 1u);
  EXPECT_THAT(sClient(coordinator.port(), with(fleet_.agent())),
              HasSubstr("coordinator:renewed:01"));
}

TEST_F(RpcServerTest, AddressInUseIsAConflict) {
  TestCoordinator coordinator(fleet_.coordinator());
  UvLoop loop;
  RpcServerConfig config;
  config.address = coordinator.address();
  config.tls = fleet_.coordinator();
  const auto second = RpcServer::listen(
      loop.port(), config,
      {[](const PeerIdentity&) -> kj::Promise<base::Status> { return base::Status(); },
       [](const PeerIdentity&) -> capnp::Capability::Client { return nullptr; },
       [](const PeerIdentity&) {}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
}

TEST_F(RpcServerTest, ThousandQuickConnectionsAreServed) {
  TestCoordinator coordinator(fleet_.coordinator());
  UvLoop loop;
  auto tls = TlsEndpoint::make(fleet_.agent()).value();
  const UvAddress address = UvAddress::parse(coordinator.address()).value();
  int good = 0;
  for (int round = 0; round < 20; ++round) {
    kj::Vector<kj::Promise<base::Result<kj::Own<ClientLink>>>> opening;
    for (int i = 0; i < 50; ++i) {
      opening.add(ClientLink::open(loop.port(), *tls, address, RpcLimits()));
    }
    for (auto& link : opening) good += link.wait(loop.scope()).has_value() ? 1 : 0;
  }
  EXPECT_EQ(good, 1000);
  EXPECT_TRUE(coordinator.waitForDisconnected(1000));
  EXPECT_EQ(coordinator.connections(), 0u);
}

}  // namespace
}  // namespace fleetmark::rpc
