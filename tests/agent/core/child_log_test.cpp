#include "agent/core/child_log.h"

#include <gtest/gtest.h>

namespace fleetmark::agent::core {
namespace {

TEST(ChildLog, PassesWholeLinesOn) {
  ChildLog log(1000);
  EXPECT_EQ(log.feed("on"), "");
  EXPECT_EQ(log.feed("e\ntwo\nthr"), "one\ntwo\n");
  EXPECT_EQ(log.finish(), "thr\n");
  EXPECT_EQ(log.finish(), "");
  EXPECT_EQ(log.tail(), "one | two | thr");
}

TEST(ChildLog, StopsAtItsBoundButKeepsTheLastLinesForMessages) {
  ChildLog log(10);
  EXPECT_EQ(log.feed("12345\n"), "12345\n");
  EXPECT_EQ(log.feed("67890\n"), "(more output of the probe is not kept)\n");
  EXPECT_EQ(log.feed("the end\n"), "");
  EXPECT_EQ(log.tail(), "12345 | 67890 | the end");
}

TEST(ChildLog, CutsALineWithoutAnEnd) {
  ChildLog log(100'000);
  std::string out = log.feed(std::string(4500, 'x'));
  EXPECT_EQ(out, std::string(2000, 'x') + "\n" + std::string(2000, 'x') + "\n");
  EXPECT_EQ(log.finish(), std::string(500, 'x') + "\n");
}

// Sequences from the Unicode standard's table of well-formed UTF-8 (3-7) and around its edges.
TEST(Printable, KeepsUtf8AndNothingThatADatabaseRefuses) {
  EXPECT_EQ(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable(std::string_view("a\0b\x1b[1m\x7f", 8)), "a?b?[1m?");
  EXPECT_EQ(printable("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(printable("\xe0\x9f\xbf"), "???");       // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xe2\x82"), "??");            // cut short
}

}  // namespace
}  // namespace fleetmark::agent::core
