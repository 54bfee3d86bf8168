// What counts as text and as JSON.
#include <gtest/gtest.h>

#include "tests/common/codec/values.h"

namespace fleetmark::rpc {
namespace {

using fleetmark::tests::refused;

base::Result<std::string> asText(const std::string& bytes) {
  capnp::MallocMessageBuilder message;
  auto notice = message.initRoot<schema::Notice>();
  notice.setMessage(capnp::Text::Reader(bytes.c_str(), bytes.size()));
  return checkedText(notice.asReader().getMessage(), 1000, "the text");
}

base::Result<std::string> asJson(const std::string& bytes) {
  capnp::MallocMessageBuilder message;
  auto notice = message.initRoot<schema::Notice>();
  notice.setMessage(capnp::Text::Reader(bytes.c_str(), bytes.size()));
  return checkedJson(notice.asReader().getMessage(), 1024 * 1024, "the document");
}

// The boundaries of table 3-7 of the Unicode standard, "Well-Formed UTF-8 Byte Sequences".
TEST(WireText, TakesTheFirstAndLastOfEachRowOfWellFormedUtf8) {
  for (const char* good :
       {"\x01", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xe0\xbf\xbf", "\xe1\x80\x80",
        "\xec\xbf\xbf", "\xed\x80\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
        "\xf0\x90\x80\x80", "\xf0\xbf\xbf\xbf", "\xf1\x80\x80\x80", "\xf3\xbf\xbf\xbf",
        "\xf4\x80\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    auto text = asText(std::string("a") + good + "z");
    ASSERT_TRUE(text) << good;
    EXPECT_EQ(*text, std::string("a") + good + "z");
  }
}

TEST(WireText, RefusesWhatIsJustOutside) {
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xe0\xa0",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "\xfe"}) {
    EXPECT_TRUE(refused(asText(std::string("a") + bad))) << bad;
    EXPECT_TRUE(refused(asText(std::string(bad) + "z"))) << bad;
  }
}

TEST(WireText, RefusesAnEmbeddedNul) {
  EXPECT_TRUE(refused(asText(std::string("a\0b", 3))));
  EXPECT_TRUE(refused(asText(std::string("\0", 1))));
  EXPECT_TRUE(asText(""));
}

TEST(WireText, AMessageNamesWhatIsWrong) {
  EXPECT_EQ(asText(std::string(1001, 'x')).error().message,
            "the text is 1001 bytes long; at most 1000 are allowed");
}

TEST(WireJson, IsOneObject) {
  EXPECT_EQ(*asJson(""), "{}");
  EXPECT_EQ(*asJson("{ \"a\" : [1, 2.5, null, true] }"), "{ \"a\" : [1, 2.5, null, true] }");
  for (const char* bad : {"[]", "1", "\"a\"", "null", "{", "{\"a\":}", "{\"a\":1}x", "{\"a\":1}{}",
                          "{'a':1}", "{\"a\":NaN}", "{\"a\":1e999}", "{a:1}", "{\"a\":\"\n\"}",
                          "{\"a\":\"\\ud800\"}", "{\"a\":\"\\x41\"}"}) {
    EXPECT_TRUE(refused(asJson(bad))) << bad;
  }
}

TEST(WireJson, RefusesAnEscapedNulInNamesAndValues) {
  EXPECT_TRUE(refused(asJson(R"({"a":"\u0000"})")));
  EXPECT_TRUE(refused(asJson(R"({"a":["x\u0000"]})")));
  EXPECT_TRUE(refused(asJson(R"({"\u0000":1})")));
  EXPECT_TRUE(refused(asJson(R"({"a":"\\\u0000"})")));  // a backslash, then NUL
}

TEST(WireJson, ABackslashBeforeU0000IsPlainText) {
  EXPECT_TRUE(asJson(R"({"a":"\\u0000"})"));
  EXPECT_TRUE(asJson(R"({"a":"\u00001"})").has_value() == false);
  EXPECT_TRUE(asJson(R"({"a":"\u0001"})"));
}

// Deep documents are cheap to send and make whoever walks through them recurse.
TEST(WireJson, RefusesDeepNesting) {
  std::string deep(500'000, '[');
  EXPECT_TRUE(refused(asJson("{\"a\":" + deep + std::string(deep.size(), ']') + "}")));
  EXPECT_TRUE(asJson("{\"a\":\"" + deep + "\"}"));  // brackets in a text are no nesting
  EXPECT_TRUE(asJson("{\"a\":\"\\\"" + deep + "\"}"));
}

}  // namespace
}  // namespace fleetmark::rpc
