#include "coordinator/store/sql.h"

#include <gtest/gtest.h>

#include "coordinator/store/connection_string.h"

namespace fleetmark::coordinator::store {
namespace {

TEST(Sql, RepairsTextThatPostgresRefuses) {
  EXPECT_EQ(repairText("plain \xC3\xA9 \xF0\x9F\x98\x80"), "plain \xC3\xA9 \xF0\x9F\x98\x80");
  EXPECT_EQ(repairText(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(repairText("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");          // overlong
  EXPECT_EQ(repairText("\xED\xA0\x80").size(), 9u);                       // a surrogate
  EXPECT_EQ(repairText("end \xE2\x82"), "end \xEF\xBF\xBD\xEF\xBF\xBD");  // cut short
}

TEST(Sql, RepairsTheOneEscapeThatJsonbRefuses) {
  EXPECT_EQ(repairJson(R"({"a":"x\u0000y"})"), R"({"a":"x\ufffdy"})");
  EXPECT_EQ(repairJson(R"({"a":"x\\u0000y"})"), R"({"a":"x\\u0000y"})");  // a backslash and text
  EXPECT_EQ(repairJson(R"({"a":"\\\u0000"})"), R"({"a":"\\\ufffd"})");
}

TEST(Sql, WritesDoublesThatReadBackTheSame) {
  std::string text;
  appendDouble(text, 0.1);
  text += " ";
  appendDouble(text, 5e-324);
  text += " ";
  appendDouble(text, 1.7976931348623157e308);
  EXPECT_EQ(text, "0.1 5e-324 1.7976931348623157e+308");
}

TEST(Sql, QuotesArrayElements) {
  std::vector<std::string> texts = {"a", "", "NULL", "x\"y\\z", "{,}"};
  auto params = Params::of(TextArray{texts});
  EXPECT_EQ(params.values()[0], R"({"a","","NULL","x\"y\\z","{,}"})");
}

TEST(Sql, SplitsArraysWithNulls) {
  auto items = splitArray("{1.5,NULL,-2}");
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0], "1.5");
  EXPECT_EQ(items[1], std::nullopt);
  EXPECT_EQ(items[2], "-2");
  EXPECT_TRUE(splitArray("{}").empty());
}

TEST(Sql, ConnectionStringKeepsQuotedValuesAndOverrides) {
  auto string = withOptions(R"(host=/tmp user='o\'brien' password='a b')", {{"user", "reader"}},
                            {{"connect_timeout", "3"}});
  ASSERT_TRUE(string.has_value());
  EXPECT_NE(string->find("user='reader'"), std::string::npos);
  EXPECT_NE(string->find("password='a b'"), std::string::npos);
  EXPECT_NE(string->find("connect_timeout='3'"), std::string::npos);
  auto uri = withOptions("postgresql://me@db.example/fleet?connect_timeout=9", {},
                         {{"connect_timeout", "3"}});
  ASSERT_TRUE(uri.has_value());
  EXPECT_NE(uri->find("host='db.example'"), std::string::npos);
  EXPECT_NE(uri->find("connect_timeout='9'"), std::string::npos);
}

TEST(Sql, UnreadableConnectionStringIsNotRepeated) {
  auto string = withOptions("password=secret =", {}, {});
  ASSERT_FALSE(string.has_value());
  EXPECT_EQ(string.error().code, base::ErrorCode::kInvalid);
  EXPECT_EQ(string.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace fleetmark::coordinator::store
