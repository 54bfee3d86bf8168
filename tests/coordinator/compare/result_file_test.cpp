// Files come from anywhere: each fault is named with its place, and nothing is guessed.
#include "coordinator/compare/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/coordinator/compare/sides.h"

namespace fleetmark::coordinator::compare {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json good() { return Json::parse(testing::resultOf({testing::cpu("a", testing::kRates)})); }

TEST(ResultFile, HoldsTheValidSamples) {
  auto file = readResult(good().dump(), "x.json");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_EQ(file->steps.size(), 1U);
  EXPECT_EQ(file->steps[0].pinned, true);
  const auto& metrics = file->steps[0].metrics;
  auto rate = std::find_if(metrics.begin(), metrics.end(),
                           [](const auto& metric) { return metric.name == "cpu_rate"; });
  ASSERT_NE(rate, metrics.end());
  EXPECT_EQ(rate->values, testing::kRates);
}

TEST(ResultFile, AFaultIsNamedWithItsPlace) {
  struct Fault {
    const char* pointer;
    Json value;
    const char* message;
  };
  const Fault faults[] = {
      {"/schema", "other/v1", "'other/v1' where fleetmark.bench-result/v1 is wanted"},
      {"/results", Json::object(), "x.json.results: is no list"},
      {"/results/0/runner", 5, "x.json.results[0].runner: is no text"},
      {"/results/0/status", "fine", "results[0].status: 'fine' is unknown"},
      {"/results/0/metrics/0/unit", "furlong", "metrics[0].unit: 'furlong' is unknown"},
      {"/results/0/metrics/0/completed", 4, "holds 5 valid samples where 'completed' says 4"},
      {"/results/0/metrics/0/completed", -1, "is no count"},
      {"/results/0/metrics/0/requested", 9, "is called complete with 5 of 9 samples"},
      {"/results/0/metrics/0/samples/2/value", nullptr, "samples[2].value: is no number"},
      {"/results/0/metrics/0/samples/2/verdict", "great", "'great' is unknown"},
  };
  for (const auto& fault : faults) {
    Json document = good();
    document[Json::json_pointer(fault.pointer)] = fault.value;
    auto file = readResult(document.dump(), "x.json");
    ASSERT_FALSE(file.has_value()) << fault.pointer;
    EXPECT_EQ(file.error().code, base::ErrorCode::kInvalid);
    EXPECT_THAT(file.error().message, HasSubstr(fault.message)) << fault.pointer;
  }
}

TEST(ResultFile, EveryMissingMemberIsNoticed) {
  for (const char* member : {"runner", "probe", "fingerprint", "step", "trial", "status", "pinned",
                             "host", "metrics", "agent_version"}) {
    Json document = good();
    document["results"][0].erase(member);
    auto file = readResult(document.dump(), "x.json");
    ASSERT_FALSE(file.has_value()) << member;
    EXPECT_THAT(file.error().message, HasSubstr(std::string("has no member '") + member));
  }
}

TEST(ResultFile, WhatIsNoDocumentIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("campaign: x\n"), std::string("[1]"), std::string("{\"a\":"),
        std::string(100'000, '['), "{\"x\":" + std::string(70, '[') + std::string(70, ']') + "}",
        good().dump().substr(0, 400), std::string("\xff\xfe\x00", 3)}) {
    EXPECT_FALSE(readResult(text, "x.json").has_value()) << text.substr(0, 40);
  }
}

}  // namespace
}  // namespace fleetmark::coordinator::compare
