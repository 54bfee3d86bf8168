#include "common/rpc/peer_identity.h"

#include <gtest/gtest.h>

namespace fleetmark::rpc {
namespace {

constexpr const char* kUuid = "3f2c0a4e-8a51-4b8e-9d6d-0c1f5e7a9b01";

TEST(PeerIdentity, ParsesEachRole) {
  const auto agent = parsePeerIdentity(std::string("agent:") + kUuid + ":0123456789abcd").value();
  EXPECT_EQ(agent.role, PeerRole::kAgent);
  EXPECT_EQ(agent.id, kUuid);
  EXPECT_EQ(agent.serialHex, "0123456789abcd");
  EXPECT_EQ(agent.label(), std::string("agent:") + kUuid);
  EXPECT_EQ(parsePeerIdentity("operator:alice.b_c-9:01").value().role, PeerRole::kOperator);
  EXPECT_EQ(parsePeerIdentity("coordinator:main:ff").value().role, PeerRole::kCoordinator);
}

TEST(PeerIdentity, RefusesEverythingElse) {
  const std::string uuid = kUuid;
  const std::string bad[] = {
      "",
      ":",
      "::",
      "agent",
      "agent:" + uuid,
      "agent:" + uuid + ":",
      "agent::01",
      "agent:" + uuid + ":0",   // half a byte
      "agent:" + uuid + ":0G",  // not hex
      "agent:" + uuid + ":AB",  // not lower case
      "agent:alice:01",         // not a UUID
      "agent:3F2C0A4E-8A51-4B8E-9D6D-0C1F5E7A9B01:01",
      "Agent:" + uuid + ":01",
      " agent:" + uuid + ":01",
      "agent:" + uuid + ":01 ",
      "root:alice:01",
      "operator:al ice:01",
      "operator:alice:bob:01",
      "operator:al\nice:01",
      "operator:" + std::string(37, 'a') + ":01",
      "operator:alice:" + std::string(42, 'a'),
      "operator:" + std::string(36, 'a') + ":" + std::string(20, 'a'),  // 66 characters
      std::string("operator:al\0ice:01", 18),
      "operator:\xc3\xa4:01",
  };
  for (const std::string& name : bad) {
    const auto parsed = parsePeerIdentity(name);
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().code, base::ErrorCode::kInvalid);
    EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos) << "a peer writes our log";
  }
}

TEST(PeerIdentity, LongestNameIsSixtyFourCharacters) {
  const std::string name =
      formatCommonName(PeerRole::kCoordinator, kUuid, "0123456789abcd").value();
  EXPECT_EQ(name.size(), 12u + 36u + 1u + 14u);
  EXPECT_FALSE(formatCommonName(PeerRole::kCoordinator, kUuid, "0123456789abcdef"));
  EXPECT_FALSE(formatCommonName(PeerRole::kOperator, "a:b", "01"));
}

}  // namespace
}  // namespace fleetmark::rpc
