#include "common/model/profile.h"

#include <gtest/gtest.h>

#include <string>

namespace fleetmark::model {
namespace {

TEST(Profile, CanonicalFormSortsKeysAndDropsWhiteSpace) {
  auto profile = makeProfile("disk", 3, R"( { "b" : 2, "a":true , "B": "x\u00e9/" } )");
  ASSERT_TRUE(profile);
  EXPECT_EQ(
      profile->canonicalJson,
      "{\"params\":{\"B\":\"x\u00e9/\",\"a\":true,\"b\":2},\"probe\":\"disk\",\"protocol\":3}");
}

TEST(Profile, FingerprintIsTwelveDigitsOfSha256) {
  // printf %s '{"params":{},"probe":"x","protocol":2}' | sha256sum | cut -c1-12
  auto profile = makeProfile("x", 2, "{}");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->canonicalJson, R"({"params":{},"probe":"x","protocol":2})");
  EXPECT_EQ(profile->fingerprint, "2b4de1e315f3");
}

TEST(Profile, ProbeProtocolAndParametersAllCount) {
  auto base = makeProfile("cpu", 1, R"({"samples":5})");
  EXPECT_NE(makeProfile("disk", 1, R"({"samples":5})")->fingerprint, base->fingerprint);
  EXPECT_NE(makeProfile("cpu", 2, R"({"samples":5})")->fingerprint, base->fingerprint);
  EXPECT_NE(makeProfile("cpu", 1, R"({"samples":6})")->fingerprint, base->fingerprint);
  EXPECT_NE(makeProfile("cpu", 1, R"({"samples":"5"})")->fingerprint, base->fingerprint);
  EXPECT_EQ(makeProfile("cpu", 1, R"({ "samples" : 5 })")->fingerprint, base->fingerprint);
}

TEST(Profile, RefusesWhatHasNoCanonicalForm) {
  for (std::string params : {"", "[]", "5", "{", R"({"a":1.5})", R"({"a":1e3})", R"({"a":null})",
                             R"({"a":[1.0]})", "{\"a\":\"\xff\"}"}) {
    auto profile = makeProfile("cpu", 1, params);
    ASSERT_FALSE(profile) << params;
    EXPECT_EQ(profile.error().code, base::ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace fleetmark::model
