#include "common/rpc/uv_address.h"

#include <gtest/gtest.h>

namespace fleetmark::rpc {
namespace {

TEST(UvAddress, ParsesAndPrintsBack) {
  for (const char* text : {"127.0.0.1:7300", "coordinator.example:1", "[::1]:65535",
                           "unix:/run/fleetmark/s", "localhost:0"}) {
    const auto address = UvAddress::parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->toString(), text);
  }
  const auto v6 = UvAddress::parse("[fe80::1]:80").value();
  EXPECT_EQ(v6.host, "fe80::1");
  EXPECT_EQ(v6.port, 80);
}

TEST(UvAddress, RefusesEverythingElse) {
  for (const std::string& text :
       {std::string(), std::string("host"), std::string("host:"), std::string(":80"),
        std::string("host:65536"), std::string("host:-1"), std::string("host:+1"),
        std::string("host:80x"), std::string("::1:80"), std::string("[host]:80"),
        std::string("unix:"), std::string("unix:relative"), "unix:/" + std::string(107, 'a'),
        std::string(254, 'h') + ":80", std::string("ho\0st:80", 8)}) {
    const auto address = UvAddress::parse(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, base::ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace fleetmark::rpc
