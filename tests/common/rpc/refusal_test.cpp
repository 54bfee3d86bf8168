// The code of a refusal survives its way through an RPC exception's text.
#include "common/rpc/refusal.h"

#include <gtest/gtest.h>

namespace fleetmark::rpc {
namespace {

TEST(Refusal, KeepsTheCodeThatNamesTheCallersNextMove) {
  auto away = parseRefusal("remote: fleetmark refuses this peer: unavailable: no database");
  ASSERT_TRUE(away);
  EXPECT_EQ(*away, base::unavailable("no database"));
  auto revoked = parseRefusal("fleetmark refuses this peer: denied: revoked: ask for a new one");
  ASSERT_TRUE(revoked);
  EXPECT_EQ(*revoked, base::denied("revoked: ask for a new one"));
}

TEST(Refusal, OfAnUnknownCodeCountsAsDenied) {
  auto said = parseRefusal("fleetmark refuses this peer: sulking: go away");
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, base::denied("sulking: go away"));
}

TEST(Refusal, IsNotSeenInOtherExceptions) {
  EXPECT_FALSE(parseRefusal("connection reset by peer"));
}

}  // namespace
}  // namespace fleetmark::rpc
