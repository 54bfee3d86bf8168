#include "common/base/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fleetmark::base {
namespace {

std::string nearest(std::string_view word, std::vector<std::string_view> known) {
  return nearestName(word, known).value_or("-");
}

TEST(NearestName, FindsEachKindOfTypingMistake) {
  EXPECT_EQ(nearest("sample", {"samples", "duration"}), "samples");     // one missing
  EXPECT_EQ(nearest("sammples", {"samples", "duration"}), "samples");   // one too many
  EXPECT_EQ(nearest("dutation", {"samples", "duration"}), "duration");  // one wrong
  EXPECT_EQ(nearest("duratoin", {"samples", "duration"}), "duration");  // neighbours swapped
  EXPECT_EQ(nearest("smaplse", {"samples", "duration"}), "samples");    // two swaps
}

TEST(NearestName, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("colour", {"samples", "duration"}), "-");
  EXPECT_EQ(nearest("", {"a"}), "-");
  EXPECT_EQ(nearest("xyz", {"cpu"}), "-");
  EXPECT_EQ(nearest("gp", {"cpu"}), "-");  // two edits in two letters say nothing
  EXPECT_EQ(nearest("abc", {}), "-");
}

TEST(NearestName, PrefersFewerEditsThenTheFirst) {
  EXPECT_EQ(nearest("local-x", {"local-a", "local-b"}), "local-a");
  EXPECT_EQ(nearest("aaab", {"aacc", "aaac"}), "aaac");
}

TEST(NearestName, CompletesTheBeginningOfOneWord) {
  EXPECT_EQ(nearest("inter", {"declared", "interleave"}), "interleave");
  EXPECT_EQ(nearest("loc", {"local-alpha", "local-beta"}), "-");
}

TEST(NearestName, LeavesVeryLongWordsAlone) {
  std::string word(100'000, 'x');
  EXPECT_EQ(nearest(word, {"samples"}), "-");
}

}  // namespace
}  // namespace fleetmark::base
