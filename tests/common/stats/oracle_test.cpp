// Against SciPy and R, by the tables in oracle/, and the tables against SciPy and R as they are
// here.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "common/platform/process.h"
#include "common/stats/bootstrap.h"
#include "common/stats/holm.h"
#include "common/stats/mann_whitney.h"
#include "common/stats/shift.h"
#include "tests/common/stats/oracle_table.h"

namespace fleetmark::stats {
namespace {

using testing::expectedBy;
using testing::oracleCases;

constexpr double kClose = 1e-10;  // relative; logarithms of two libraries lie between

// What `expected` knows of the case, beside what fleetmark says.
void expectAgreement(const testing::OracleCase& each, const std::map<std::string, double>& expected,
                     std::size_t& compared) {
  auto test = mannWhitney(each.a, each.b);
  auto ratio = ratioOf(each.a, each.b, 0.95);
  const std::map<std::string, double> ours{
      {"u", test.u},      {"p", test.p},        {"ratio", ratio.estimate},
      {"low", ratio.low}, {"high", ratio.high}, {"confidence", ratio.confidence}};
  for (const auto& [key, value] : expected) {
    ASSERT_EQ(ours.count(key), 1U) << key;
    EXPECT_NEAR(ours.at(key), value, std::abs(value) * kClose + 1e-15) << each.name << " " << key;
    ++compared;
  }
}

TEST(StatsOracle, AgreesWithSciPy) {
  auto expected = expectedBy("python.tsv");
  std::size_t compared = 0;
  for (const auto& each : oracleCases()) {
    ASSERT_EQ(expected.count(each.name), 1U) << each.name;
    expectAgreement(each, expected[each.name], compared);
  }
  EXPECT_GT(compared, 70U);
}

TEST(StatsOracle, AgreesWithR) {
  auto expected = expectedBy("r.tsv");
  std::size_t compared = 0;
  for (const auto& each : oracleCases()) {
    // Base R has no exact p where values repeat.
    if (expected.count(each.name) == 0) continue;
    expectAgreement(each, expected[each.name], compared);
  }
  EXPECT_GT(compared, 80U);
}

TEST(StatsOracle, NamesTheMethodThatWasUsed) {
  for (const auto& each : oracleCases()) {
    auto method = mannWhitney(each.a, each.b).method;
    auto interval = ratioOf(each.a, each.b, 0.95).intervalMethod;
    bool large = each.name == "plain-60-70" || each.name == "plain-200-300" ||
                 each.name == "plain-7-1000" || each.name == "ties-100-120";
    bool ties = each.name.find("ties") != std::string::npos || each.name == "all-equal" ||
                each.name == "one-tie";
    EXPECT_EQ(method, large ? kNormalTest : ties ? kExactTiesTest : kExactTest) << each.name;
    EXPECT_EQ(interval, large ? kNormalInterval : kExactInterval) << each.name;
  }
}

TEST(StatsOracle, HolmAgreesWithRsPAdjust) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005, 0.2, 0.03, 1};
  std::map<std::string, double> expected;
  for (const auto& [name, values] : expectedBy("r.tsv")) {
    if (name.starts_with("holm")) expected.insert(values.begin(), values.end());
  }
  ASSERT_EQ(expected.size(), p.size());
  auto adjusted = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(adjusted[i], expected["adjusted" + std::to_string(i + 1)], 1e-14) << i;
  }
}

TEST(StatsOracle, NormalDistributionAgreesWithR) {
  std::size_t compared = 0;
  for (const auto& [name, values] : expectedBy("r.tsv")) {
    double argument = 0;
    std::string word;
    std::istringstream(name) >> word >> argument;
    if (word == "normal") {
      EXPECT_NEAR(normalTail(argument) / values.at("tail"), 1, 1e-12) << name;
      ++compared;
    }
    if (word == "quantile") {
      EXPECT_NEAR(normalQuantile(argument), values.at("z"), 1e-11) << name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 11U);
}

struct Answer {
  int code = -1;
  std::string text;
};

Answer ask(const std::string& program, const std::vector<std::string>& arguments) {
  platform::SpawnOptions options;
  options.program = program;
  options.arguments = arguments;
  options.pipeStdout = true;
  auto child = platform::spawn(options);
  if (!child.has_value()) return {-1, child.error().message};
  Answer out;
  for (;;) {
    auto piece = (*child)->readStdout(65536, std::chrono::seconds(240));
    if (!piece.has_value() || piece->bytes.empty()) break;
    out.text += piece->bytes;
  }
  auto status = (*child)->wait(std::chrono::seconds(60));
  if (status) out.code = status->code;
  return out;
}

TEST(StatsOracle, TheTableOfSciPyIsWhatSciPySaysHere) {
  auto answer = ask("/usr/bin/python3", {testing::oracleFolder() + "/oracle.py", "--check"});
  if (answer.code == -1 || answer.code == 2) GTEST_SKIP() << answer.text;
  EXPECT_EQ(answer.code, 0) << answer.text;
}

TEST(StatsOracle, TheTableOfRIsWhatRSaysHere) {
  auto answer = ask("/usr/bin/Rscript", {testing::oracleFolder() + "/oracle.R"});
  if (answer.code == -1) GTEST_SKIP() << "no R here (Debian: r-base-core): " << answer.text;
  ASSERT_EQ(answer.code, 0) << answer.text;
  std::istringstream lines(answer.text);
  auto stored = expectedBy("r.tsv");
  std::size_t compared = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string name;
    std::string key;
    std::string value;
    std::getline(cells, name, '\t');
    std::getline(cells, key, '\t');
    std::getline(cells, value, '\t');
    if (name == "-") continue;
    ASSERT_EQ(stored[name].count(key), 1U) << line;
    double before = stored[name][key];
    EXPECT_NEAR(std::stod(value), before, std::abs(before) * 1e-9) << line;
    ++compared;
  }
  std::size_t all = 0;
  for (const auto& [name, values] : stored) all += values.size();
  EXPECT_EQ(compared, all);
}

}  // namespace
}  // namespace fleetmark::stats
