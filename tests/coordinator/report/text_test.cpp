#include "coordinator/report/text.h"

#include <gtest/gtest.h>

namespace fleetmark::coordinator::report {
namespace {

TEST(OneLine, ReplacesLineBreaksAndControlCodes) {
  EXPECT_EQ(oneLine("a\nb\r\nc\td"), "a b c d");
  EXPECT_EQ(oneLine("\x1b[31mred"), " [31mred");
  EXPECT_EQ(oneLine(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(oneLine("a\xC2\x85z\xE2\x80\xA8y"), "a z y");  // NEL, line separator
}

TEST(OneLine, ReplacesDirectionOverrides) {
  EXPECT_EQ(oneLine("a\xE2\x80\xAE\x62"), "a\xEF\xBF\xBD\x62");
}

TEST(OneLine, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(oneLine("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(oneLine("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  EXPECT_EQ(oneLine("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(oneLine("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut short
  EXPECT_EQ(oneLine("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80"), "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80");
}

TEST(PlainLines, KeepsLinesAndTabs) { EXPECT_EQ(plainLines("a\r\n\tb\n\x1b"), "a\n\tb\n "); }

TEST(Shorten, CutsBetweenCharactersAndSaysSo) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 4), "abc\xE2\x80\xA6");
  EXPECT_EQ(shorten("\xC3\xBC\xC3\xBC\xC3\xBC", 2), "\xC3\xBC\xE2\x80\xA6");
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Enumerate, EndsWithAnd) {
  EXPECT_EQ(enumerate({}), "");
  EXPECT_EQ(enumerate({"a"}), "a");
  EXPECT_EQ(enumerate({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
