// fleetmark compare over what fleetmark run wrote, and over a coordinator's campaigns.
#include <gtest/gtest.h>

#include "tests/e2e/fleet.h"

namespace fleetmark::tests::e2e {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kRunners =
    "runners:\n"
    "  - {name: a, match: {agent: local-a}}\n"
    "  - {name: b, match: {agent: local-b}}\n";

// SciPy reads both samples.csv itself; argv: csv of A, csv of B, compare's JSON.
constexpr const char* kSecondOpinion = R"(
import csv, json, math, sys
import numpy as np
from scipy import stats
def values(path):
    with open(path, newline='') as f:
        return [float(row['value']) for row in csv.DictReader(f) if row['runner'] == 'a']
a, b = values(sys.argv[1]), values(sys.argv[2])
row, = [r for r in json.load(open(sys.argv[3]))['rows'] if r['a']['runner'] == 'a']
assert len(a) == len(b) == 8
p = stats.mannwhitneyu(b, a, method='exact').pvalue
ratio = math.exp(np.median(np.subtract.outer(np.log(b), np.log(a))))
assert math.isclose(row['p'], p, rel_tol=1e-12), (row['p'], p)
assert math.isclose(row['ratio'], ratio, rel_tol=1e-12), (row['ratio'], ratio)
)";

TEST(CompareCommand, ComparesFilesWithoutACoordinator) {
  Fleet fleet;
  for (const char* seed : {"7", "8"}) {
    std::string file = fleet.file(std::string("c") + seed + ".yaml",
                                  std::string("campaign: compared\n") + kRunners +
                                      "probes: [selftest: {samples: 8, seed: " + seed + "}]\n");
    auto run = fleet.run(program("fleetmark"), {"run", file, "--out", std::string("out") + seed});
    ASSERT_EQ(run.exitCode, 0) << run.err;
  }
  const std::string fleetmark = program("fleetmark");

  auto same = fleet.run(fleetmark, {"compare", "out7", "a", "b"});
  EXPECT_EQ(same.exitCode, 1) << same.out << same.err;
  EXPECT_TRUE(contains(same.out, "cannot tell")) << same.out;
  EXPECT_TRUE(contains(same.out, "CV too high")) << same.out;
  EXPECT_TRUE(contains(same.out, "8/8  1.000")) << same.out;
  EXPECT_FALSE(contains(same.out, "\x1b"));

  auto refused = fleet.run(fleetmark, {"compare", "out7", "out8/result.json"});
  EXPECT_EQ(refused.exitCode, 2) << refused.out;
  EXPECT_TRUE(contains(refused.err, "fingerprints differ")) << refused.err;

  auto told = fleet.run(fleetmark, {"compare", "out7", "out8", "--across-profiles", "--json"});
  EXPECT_EQ(told.exitCode, 1) << told.err;
  std::string json = fleet.file("told.json", told.out);
  auto python = fleet.run("/usr/bin/python3", {"-c", "import scipy"});
  if (python.exitCode != 0) GTEST_SKIP() << "python3-scipy is not installed";
  auto judged =
      fleet.run("/usr/bin/python3", {"-c", kSecondOpinion, fleet.folder() + "/out7/samples.csv",
                                     fleet.folder() + "/out8/samples.csv", json});
  EXPECT_EQ(judged.exitCode, 0) << judged.err << told.out;
}

TEST(CompareCommand, ComparesCampaignsOfACoordinator) {
  Fleet fleet;
  fleet.startCoordinator();
  fleet.startAgent("local-a");
  std::string yaml = std::string("campaign: live\nrunners: [{name: a}]\n") +
                     "probes: [selftest: {samples: 30, seed: 3}]\n";
  std::string first = fleet.submit(yaml, {"--wait"});
  std::string second = fleet.submit(yaml, {"--wait"});
  ASSERT_TRUE(fleet.waitForState(first, "done"));
  ASSERT_TRUE(fleet.waitForState(second, "done"));
  auto both = fleet.fleetmark({"compare", first, second + ":a"});
  EXPECT_EQ(both.exitCode, 1) << both.out << both.err;
  EXPECT_TRUE(contains(both.out, "30/30  1.000")) << both.out;
  EXPECT_TRUE(contains(both.out, "interval too wide")) << both.out;
  auto absent = fleet.fleetmark({"compare", first, "nobody"});
  EXPECT_EQ(absent.exitCode, 2) << absent.err;
}

TEST(CompareCommand, WrongInputIsExitCode2AndSaysWhere) {
  Fleet fleet;
  fleet.file("bad.json", "{\"schema\": \"x\"}");
  fleet.file("text.txt", "hello");
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"compare", "none.json", "bad.json"}, "none.json: no such file or folder"},
      {{"compare", "bad.json", "bad.json"}, "bad.json: is 'x' where fleetmark.bench-result/v1"},
      {{"compare", "text.txt", "bad.json"}, "text.txt: is no JSON"},
      {{"compare", ".", "bad.json"}, "is a folder without result.json"},
      {{"compare", "bad.json"}, "B is required"},
      {{"compare", "x:", "y"}, "write CAMPAIGN:RUNNER"},
      {{"compare", "bad.json", "bad.json", "--band", "-3"}, "--band is a percentage"},
  };
  for (const auto& [arguments, message] : wrong) {
    auto result = fleet.run(program("fleetmark"), arguments);
    EXPECT_EQ(result.exitCode, 2) << message;
    EXPECT_TRUE(contains(result.err, message)) << result.err;
  }
}

TEST(CompareCommand, HelpBeginsWithTwoExamples) {
  Fleet fleet;
  auto help = fleet.run(program("fleetmark"), {"compare", "--help"});
  EXPECT_EQ(help.exitCode, 0);
  EXPECT_TRUE(help.out.starts_with("Examples:\n  fleetmark compare ")) << help.out;
  EXPECT_TRUE(contains(help.out, "Exit codes:"));
}

}  // namespace
}  // namespace fleetmark::tests::e2e
