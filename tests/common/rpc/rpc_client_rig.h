// What the tests of RpcClient share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/rpc/rpc_client.h"
#include "tests/common/rpc/test_coordinator.h"
#include "tests/common/rpc/test_fleet.h"

namespace fleetmark::rpc {

inline RpcClientConfig configFor(const TlsIdentity& identity, std::vector<std::string> addresses) {
  RpcClientConfig config;
  config.addresses = std::move(addresses);
  config.tls = identity;
  config.backoffBase = std::chrono::milliseconds(5);
  config.backoffCap = std::chrono::milliseconds(50);
  return config;
}

inline base::Result<std::string> ping(RpcClient& client,
                                      base::Nanos limit = std::chrono::seconds(20)) {
  return client.call<std::string>(
      [](schema::Coordinator::Client coordinator) {
        return coordinator.pingRequest().send().then(
            [](auto&& response) -> base::Result<std::string> {
              return std::string(response.getRole().cStr());
            });
      },
      limit);
}

// As ping(), again while the answer is kUnavailable: a call that begins on a connection whose end
// is not yet known fails with it, and is never repeated by itself.
inline base::Result<std::string> pingSoon(RpcClient& client) {
  const base::SystemClock clock;
  const auto end = clock.mono() + std::chrono::seconds(20);
  for (;;) {
    auto answer = ping(client);
    const bool gone = !answer && answer.error().code == base::ErrorCode::kUnavailable;
    if (!gone || clock.mono() > end) return answer;
  }
}

// A call that is never answered.
inline base::Result<int> hang(RpcClient& client, base::Nanos limit = std::chrono::seconds(60)) {
  return client.call<int>(
      [](schema::Coordinator::Client coordinator) {
        return coordinator.operatorRequest().send().then(
            [](auto&&) -> base::Result<int> { return 1; });
      },
      limit);
}

class RpcClientTest : public testing::Test {
 protected:
  std::unique_ptr<RpcClient> clientOf(RpcClientConfig config, RpcClientHooks hooks = {}) {
    return RpcClient::start(std::move(config), kj::mv(hooks)).value();
  }

  TestFleet fleet_;
};

}  // namespace fleetmark::rpc
