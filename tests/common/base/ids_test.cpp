#include "common/base/ids.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "common/base/hex.h"

namespace fleetmark::base {
namespace {

static_assert(!std::is_convertible_v<CampaignId, JobId>);
static_assert(!std::is_convertible_v<std::int64_t, StepId>);

TEST(Uuid, PrintsAndParsesTheExampleOfRfc4122) {
  const std::string text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
  auto uuid = Uuid::parse(text);
  ASSERT_TRUE(uuid);
  EXPECT_EQ(uuid->toString(), text);
  EXPECT_EQ(uuid->bytes()[0], 0xf8);
  EXPECT_EQ(uuid->bytes()[15], 0xf6);
  EXPECT_EQ(Uuid::parse("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"), uuid);
}

TEST(Uuid, RefusesOtherForms) {
  for (std::string text :
       {"", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf60", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bg6", "f81d4fae-7dec-11d0-a765000a0c91e6bf6",
        "--------------------0000000000000000"}) {
    EXPECT_FALSE(Uuid::parse(text)) << text;
  }
}

TEST(Uuid, NilIsTheDefault) {
  EXPECT_TRUE(Uuid().isNil());
  EXPECT_EQ(Uuid().toString(), "00000000-0000-0000-0000-000000000000");
}

TEST(Hex, GoesBothWays) {
  const std::string bytes("\x00\x7f\x80\xff", 4);
  EXPECT_EQ(toHex(bytes), "007f80ff");
  EXPECT_EQ(fromHex("007F80ff"), bytes);
  EXPECT_EQ(fromHex(""), "");
  EXPECT_FALSE(fromHex("0"));
  EXPECT_FALSE(fromHex("0g"));
  EXPECT_FALSE(fromHex("0x"));
}

}  // namespace
}  // namespace fleetmark::base
