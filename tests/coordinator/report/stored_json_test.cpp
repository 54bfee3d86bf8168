#include "coordinator/report/stored_json.h"

#include <gtest/gtest.h>

namespace fleetmark::coordinator::report {
namespace {

TEST(PinningOf, ReadsTheFlagAndNothingElse) {
  EXPECT_EQ(pinningOf(R"({"pinned":true,"cpu":3})"), Pinning::kPinned);
  EXPECT_EQ(pinningOf(R"({"pinned":false})"), Pinning::kUnpinned);
  EXPECT_EQ(pinningOf(R"({"pin_in_force":true,"pinned_cpu":1})"), Pinning::kPinned);
  EXPECT_EQ(pinningOf("{}"), Pinning::kNotRecorded);
  EXPECT_EQ(pinningOf(R"({"pinned":"true"})"), Pinning::kNotRecorded);
  EXPECT_EQ(pinningOf(R"({"note":{"pinned":true}})"), Pinning::kNotRecorded);
  EXPECT_EQ(pinningOf(R"({"pinned":true)"), Pinning::kNotRecorded);
}

TEST(BuildFacts, AreFoundAtTheTopOrUnderBuild) {
  EXPECT_EQ(buildFacts(R"({"compiler":"GNU 12.2.0","flags":["-O2","-DNDEBUG"]})").flags,
            "-O2 -DNDEBUG");
  auto nested = buildFacts(R"({"build":{"compiler":"Clang 14","compiler_flags":"-O3"}})");
  EXPECT_EQ(nested.compiler, "Clang 14");
  EXPECT_EQ(nested.flags, "-O3");
  EXPECT_EQ(buildFacts("[1]").compiler, "");
  EXPECT_EQ(buildFacts(R"({"compiler":12})").compiler, "");
}

TEST(ParametersInWords, GiveDurationsAndSizesTheirUnits) {
  auto words = parametersInWords(
      R"({"file_bytes":1073741824,"min_duration_ns":5000000000,"samples":5,"sync":true,)"
      R"("fault":"none"})");
  std::string text;
  for (const auto& word : words) text += word.name + "=" + word.text + ";";
  EXPECT_EQ(text, "fault=none;file=1 GiB;min duration=5 s;samples=5;sync=yes;");
  EXPECT_TRUE(parametersInWords("not JSON").empty());
}

TEST(CompactObject, KeepsEveryDigit) {
  EXPECT_EQ(compactObject(R"({ "b": 0.1, "a": [1, 18446744073709551615] })"),
            R"({"a":[1,18446744073709551615],"b":0.1})");
}

TEST(CompactObject, RefusesWhatIsNoObject) {
  EXPECT_EQ(compactObject(""), std::nullopt);
  EXPECT_EQ(compactObject("[]"), std::nullopt);
  EXPECT_EQ(compactObject("{\"a\":}"), std::nullopt);
  EXPECT_EQ(compactObject("{\"a\":1e999}"), std::nullopt);
}

TEST(CompactObject, RefusesNestingThatWouldExhaustTheStack) {
  std::string deep = "{\"a\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  EXPECT_EQ(compactObject(deep), std::nullopt);
  EXPECT_EQ(compactObject(R"({"a":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"[[["})"),
            R"({"a":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"[[["})");
}

TEST(QuoteJson, EscapesAndReplaces) {
  EXPECT_EQ(quoteJson("a\"\\\n\x01"), R"("a\"\\\n\u0001")");
  EXPECT_EQ(quoteJson("\xFF"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace fleetmark::coordinator::report
