#include "agent/core/probe_request.h"

#include <gtest/gtest.h>

namespace fleetmark::agent::core {
namespace {

TEST(ProbeRequest, SurvivesThePipe) {
  auto text = encodeProbeRequest({"disk", 2, R"({"file_bytes":1})", R"({"path":"/tmp/a b"})"});
  ASSERT_TRUE(text);
  auto request = decodeProbeRequest(*text);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->probe, "disk");
  EXPECT_EQ(request->protocol, 2);
  EXPECT_EQ(request->paramsJson, R"({"file_bytes":1})");
  EXPECT_EQ(request->placementJson, R"({"path":"/tmp/a b"})");
}

TEST(ProbeRequest, RefusesWhatIsNoRequest) {
  EXPECT_FALSE(encodeProbeRequest({"disk", 1, "[1]", "{}"}));
  EXPECT_FALSE(encodeProbeRequest({"disk", 1, "{", "{}"}));
  EXPECT_FALSE(
      encodeProbeRequest({"disk", 1, "{\"a\":\"" + std::string(60'000, 'x') + "\"}", "{}"}));
  for (const char* text : {"", "{}", "[]", "not json", R"({"probe":1,"protocol":1})",
                           R"({"probe":"a","protocol":1,"params":[],"placement":{}})"}) {
    EXPECT_FALSE(decodeProbeRequest(text)) << text;
  }
}

}  // namespace
}  // namespace fleetmark::agent::core
