#include "coordinator/compare/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/coordinator/compare/sides.h"

namespace fleetmark::coordinator::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

Comparison comparisonOf(double factor) {
  auto comparison =
      compareResults(testing::sideOf({testing::cpu("a", testing::kRates)}),
                     testing::sideOf({testing::cpu("a", testing::scaled(factor))}), {});
  FM_CHECK(comparison.has_value());
  return std::move(*comparison);
}

// p of five beside five that don't overlap is 2/252 = 0.0079; the interval by R:
//   a <- c(33120,33098,33140,33090,33115); exp(wilcox.test(log(1.2*a), log(a),
//   conf.int=TRUE)$conf.int)
TEST(ComparisonText, ShowsFiguresAndAVerdictInWords) {
  auto text = comparisonText(comparisonOf(1.2));
  EXPECT_THAT(text, HasSubstr("cpu rate  it/s  33,115  39,738  5/5  1.200  1.199 .. 1.201  "
                              "0.0079  B faster"))
      << text;
  EXPECT_THAT(text, HasSubstr("1 faster, 0 slower, 0 the same within 3.0 %, 0 can't be told"));
  EXPECT_THAT(text, HasSubstr("measured on the same machine"));
  EXPECT_THAT(text, Not(HasSubstr("Cannot tell:")));
}

TEST(ComparisonText, NamesOfOthersReachNoTerminal) {
  auto evil = testing::cpu("a\x1b[2J", testing::kRates);
  evil.host.cpuModel = "CPU\x1b]0;x\x07";
  auto comparison = compareResults(testing::sideOf({evil}), testing::sideOf({evil}), {});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_THAT(comparisonText(*comparison), Not(HasSubstr("\x1b")));
}

TEST(ComparisonJson, KeepsEveryDigitAndTheMethods) {
  auto json = Json::parse(comparisonJson(comparisonOf(1.2)));
  EXPECT_EQ(json["schema"], "fleetmark.comparison/v1");
  EXPECT_EQ(json["options"]["band"], 0.03);
  const auto& row = json["rows"][0];
  EXPECT_EQ(row["verdict"], "faster");
  EXPECT_TRUE(row["reason"].is_null());
  EXPECT_NEAR(row["ratio"].get<double>(), 1.2, 1e-12);
  EXPECT_NEAR(row["p"].get<double>(), 2.0 / 252, 1e-14);
  EXPECT_EQ(row["test_method"], "mann-whitney-exact/1");
  EXPECT_EQ(row["interval"]["method"], "rank-interval-exact/1");
  EXPECT_EQ(json["methods"]["table"], "holm/1");
}

TEST(ComparisonJson, ADoubtIsACodeAndASentence) {
  auto comparison = compareResults(testing::sideOf({testing::cpu("a", {1, 2, 3})}),
                                   testing::sideOf({testing::cpu("a", {4, 5, 6})}), {});
  ASSERT_TRUE(comparison.has_value());
  auto row = Json::parse(comparisonJson(*comparison))["rows"][0];
  EXPECT_EQ(row["verdict"], "cannot_tell");
  EXPECT_EQ(row["reason"], "n_too_small");
  EXPECT_TRUE(row["p_holm"].is_null());
  EXPECT_NEAR(row["interval"]["confidence"].get<double>(), 0.9, 1e-15);
}

}  // namespace
}  // namespace fleetmark::coordinator::compare
