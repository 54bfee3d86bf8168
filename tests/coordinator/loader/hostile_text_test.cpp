// Text made to hurt: each is refused, and costs no more than reading it (the test's own time limit
// ends a run that explodes).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "coordinator/loader/text_check.h"
#include "tests/coordinator/loader/load.h"

namespace fleetmark::coordinator::loader {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string out;
  while (out.size() + piece.size() <= bytes) out += piece;
  return out;
}

// Comment lines, to follow a '#'.
std::string padding(std::size_t bytes) {
  std::string out(bytes, 'x');
  for (std::size_t i = 1000; i + 1 < bytes; i += 1000) {
    out[i] = '\n';
    out[i + 1] = '#';
  }
  return out;
}

TEST(HostileText, TenMegabytesAreRefusedBeforeParsing) {
  std::string text(10 * 1024 * 1024, '[');
  EXPECT_EQ(faultsOf(text),
            "c.yaml:1:1: the file has 10485760 bytes, the limit is 1 MiB (1048576 bytes); is it "
            "really a campaign?");
}

TEST(HostileText, OneByteOverTheLimitIsRefusedAndTheLimitItselfIsNot) {
  std::string good = "campaign: c\nrunners: [{name: a}]\nprobes: [cpu]\n#";
  EXPECT_EQ(faultsOf(good + padding(kMostText - good.size())), "");
  EXPECT_THAT(faultsOf(good + padding(kMostText - good.size() + 1)),
              HasSubstr("the file has 1048577 bytes"));
}

TEST(HostileText, AliasesThatExplodeStopAtTheFirstAnchor) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    std::string last(1, static_cast<char>(c - 1));
    text += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) text += "*" + last + (i < 8 ? ", " : "]\n");
  }
  EXPECT_THAT(faultsOf(text), StartsWith("c.yaml:1:4: anchors and aliases"));
}

TEST(HostileText, ALineMayHave4096Bytes) {
  std::string good = "campaign: c\nrunners: [{name: a}]\nprobes: [cpu]\n";
  EXPECT_EQ(faultsOf(good + "#" + std::string(4095, 'x') + "\n"), "");
  EXPECT_EQ(faultsOf(good + "#" + std::string(4096, 'x') + "\n"),
            "c.yaml:4:1: the line is longer than 4096 bytes; write lists and mappings on several "
            "lines");
}

TEST(HostileText, NestingStopsAtTwenty) {
  // The list of probes is level 2 and the innermost one level 20, which is allowed as YAML.
  std::string deep = "campaign: c\nrunners: [{name: a}]\nprobes: ";
  EXPECT_THAT(faultsOf(deep + std::string(19, '[') + std::string(19, ']')),
              HasSubstr("a probe must be a mapping"));
  EXPECT_THAT(faultsOf(deep + std::string(20, '[') + std::string(20, ']')),
              HasSubstr("c.yaml:3:28: nested more than 20 deep"));
}

class Flood : public testing::TestWithParam<const char*> {};

TEST_P(Flood, OfOneMebibyteIsRefused) {
  std::string line = repeated(GetParam(), kLongestLine - 1) + "\n";
  EXPECT_NE(faultsOf(repeated(line, kMostText)), "");
  EXPECT_NE(faultsOf("[" + repeated(line, kMostText / 8)), "");
}

TEST_P(Flood, OnOneLineIsRefused) {
  EXPECT_NE(faultsOf(repeated(GetParam(), kMostText)), "");
  EXPECT_NE(faultsOf(repeated(GetParam(), kLongestLine)), "");
}

INSTANTIATE_TEST_SUITE_P(Of, Flood,
                         testing::Values("[", "{", "- ", "? ", "[]", "a: ", "\"", "'", "-\n", "a\n",
                                         "a:\n", "1,", "[1,", "{a: ", "\n", " ", "|\n", "%TAG ",
                                         "&a ", "*a ", "!a ", "--- a\n", "- - a\n", ": ", "#\n"));

TEST(HostileText, MoreValuesThanAnyCampaignHasAreRefused) {
  EXPECT_THAT(faultsOf("[\n" + repeated("1,1,1,1,\n", 950'000) + "1]"),
              HasSubstr("more than 200000 values in one file"));
}

TEST(HostileText, MoreThanTenThousandJobsAreRefused) {
  std::string text = "campaign: c\nrunners:\n";
  for (int i = 0; i < 101; ++i) text += "  - {name: r" + std::to_string(i) + "}\n";
  text += "probes:\n";
  for (int i = 0; i < 100; ++i) text += "  - cpu\n";
  EXPECT_EQ(faultsOf(text),
            "c.yaml:105:3: 10100 jobs (probes x runners), the limit is 10000; split the campaign "
            "into several");
}

TEST(HostileText, EveryPrefixOfAGoodFileEndsWithAResult) {
  std::string text = repositoryFile("deploy/examples/quick.yaml");
  ASSERT_FALSE(text.empty());
  for (std::size_t size = 0; size < text.size(); ++size) {
    auto spec = load(text.substr(0, size));
    if (!spec) {
      EXPECT_THAT(spec.error().message, StartsWith("c.yaml:"));
    }
  }
}

TEST(HostileText, EveryByteFlippedInAGoodFileEndsWithAResult) {
  std::string text = repositoryFile("deploy/examples/quick.yaml");
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (unsigned bit : {1u, 64u}) {
      std::string changed = text;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ bit);
      auto spec = load(changed);
      if (!spec) {
        EXPECT_EQ(spec.error().code, base::ErrorCode::kInvalid);
      }
    }
  }
}

TEST(FindInvalidUtf8, KnowsTheLimitsOfTheEncoding) {
  auto npos = std::string_view::npos;
  EXPECT_EQ(findInvalidUtf8("a\u00e9\u20ac\U0001F600"), npos);
  EXPECT_EQ(findInvalidUtf8("\xF4\x8F\xBF\xBF"), npos);  // U+10FFFF
  EXPECT_EQ(findInvalidUtf8("ab\x80"), 2u);              // stray continuation
  EXPECT_EQ(findInvalidUtf8("\xC0\x80"), 0u);            // overlong NUL
  EXPECT_EQ(findInvalidUtf8("\xE0\x9F\xBF"), 0u);        // overlong
  EXPECT_EQ(findInvalidUtf8("\xED\xA0\x80"), 0u);        // surrogate
  EXPECT_EQ(findInvalidUtf8("\xF4\x90\x80\x80"), 0u);    // U+110000
  EXPECT_EQ(findInvalidUtf8("x\xE2\x82"), 1u);           // cut off
}

}  // namespace
}  // namespace fleetmark::coordinator::loader
