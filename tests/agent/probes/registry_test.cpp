#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "agent/probes/probe.h"
#include "common/probes/spec.h"

namespace fleetmark::agent::probes {
namespace {

using fleetmark::probes::allSpecs;

std::string docOf(std::string_view probe) {
  const char* root = std::getenv("FLEETMARK_SOURCE");
  std::ifstream file(std::string(root != nullptr ? root : ".") + "/docs/probes/" +
                     std::string(probe) + ".md");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ProbeRegistry, EverySpecHasAProbe) {
  for (const auto* spec : allSpecs()) EXPECT_NE(makeProbe(spec->name), nullptr) << spec->name;
  EXPECT_EQ(makeProbe("no-such-probe"), nullptr);
  EXPECT_EQ(makeProbe(""), nullptr);
}

TEST(ProbeRegistry, NamesAreUniqueAndWellFormed) {
  std::set<std::string_view> probes;
  std::set<std::string_view> metrics;
  const std::regex form("[a-z][a-z0-9_]*");
  for (const auto* spec : allSpecs()) {
    EXPECT_TRUE(probes.insert(spec->name).second) << spec->name;
    EXPECT_TRUE(std::regex_match(std::string(spec->name), form)) << spec->name;
    std::set<std::string_view> params;
    for (const auto& param : spec->params) {
      EXPECT_TRUE(params.insert(param.name).second) << param.name;
      EXPECT_TRUE(std::regex_match(std::string(param.name), form)) << param.name;
    }
    for (const auto& metric : spec->metrics) {
      EXPECT_TRUE(metrics.insert(metric.name).second) << metric.name << " in two probes";
      EXPECT_TRUE(std::regex_match(std::string(metric.name), form)) << metric.name;
    }
  }
}

TEST(ProbeRegistry, SpecsAreComplete) {
  for (const auto* spec : allSpecs()) {
    SCOPED_TRACE(spec->name);
    EXPECT_GT(spec->protocol, 0);
    EXPECT_FALSE(spec->summary.empty());
    EXPECT_NE(spec->estimate, nullptr);
    ASSERT_FALSE(spec->metrics.empty());
    bool headline = false;
    for (const auto& metric : spec->metrics) {
      headline |= metric.headline;
      EXPECT_FALSE(metric.help.empty()) << metric.name;
      EXPECT_FALSE(model::toString(metric.unit).empty());
      EXPECT_FALSE(model::toString(metric.better).empty());
    }
    EXPECT_TRUE(headline) << "a probe without a headline has no place in the report";
    for (const auto& param : spec->params) EXPECT_FALSE(param.help.empty()) << param.name;
  }
}

TEST(ProbeRegistry, DocumentsNameEveryParameterAndMetric) {
  for (const auto* spec : allSpecs()) {
    auto doc = docOf(spec->name);
    ASSERT_FALSE(doc.empty()) << spec->name;
    for (const auto& param : spec->params) {
      EXPECT_NE(doc.find("`" + std::string(param.name) + "`"), std::string::npos)
          << spec->name << ": " << param.name;
    }
    for (const auto& metric : spec->metrics) {
      EXPECT_NE(doc.find("`" + std::string(metric.name) + "`"), std::string::npos)
          << spec->name << ": " << metric.name;
    }
  }
}

}  // namespace
}  // namespace fleetmark::agent::probes
