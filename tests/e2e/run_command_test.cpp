// fleetmark run: a whole private fleet, from YAML to report, and nothing left behind.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/fleet.h"

namespace fleetmark::tests::e2e {
namespace {

namespace fs = std::filesystem;

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Values by `printf '7/0' | sha256sum`, first 8 digits as a number.
constexpr const char* kExpectedValues[] = {"431379789", "3553817977", "462121814"};

TEST(RunCommand, MeasuresAndReportsAndLeavesNothing) {
  Fleet fleet;
  std::string campaign = fleet.file("c.yaml",
                                    "campaign: whole\n"
                                    "runners:\n"
                                    "  - {name: a, match: {agent: local-a}}\n"
                                    "  - {name: b, match: {agent: local-b}}\n"
                                    "probes:\n"
                                    "  - selftest: {samples: 3, seed: 7}\n");
  std::string out = fleet.folder() + "/out";
  auto result = fleet.run(program("fleetmark"), {"run", campaign, "--out", out});
  EXPECT_EQ(result.exitCode, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("2 of 2 measured"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("next      fleetmark compare " + out + " a b"), std::string::npos)
      << result.out;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << "control codes in a pipe";
  std::string csv = slurp(out + "/samples.csv");
  for (const char* value : kExpectedValues) {
    EXPECT_NE(csv.find(std::string(",") + value + ",ok,"), std::string::npos) << csv;
  }
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3);
  EXPECT_TRUE(fs::exists(out + "/report.md"));
  EXPECT_TRUE(fs::exists(out + "/report.html"));
  EXPECT_TRUE(fs::exists(out + "/result.json"));
  EXPECT_TRUE(fleet.survivors().empty()) << fleet.survivors().front();
}

TEST(RunCommand, WritesAResultThatItsJsonSchemaAccepts) {
  Fleet fleet;
  auto python = fleet.run("/usr/bin/python3", {"-c", "import jsonschema"});
  if (python.exitCode != 0) GTEST_SKIP() << "python3-jsonschema is not installed";
  std::string campaign = fleet.file("c.yaml",
                                    "campaign: schema\n"
                                    "runners: [{name: a}]\n"
                                    "probes: [selftest: {samples: 2, fault: fail}]\n");
  auto result = fleet.run(program("fleetmark"), {"run", campaign, "--out", "out"});
  EXPECT_EQ(result.exitCode, 1) << "a failed measurement is exit code 1\n" << result.err;
  const char* source = std::getenv("FLEETMARK_SOURCE");
  ASSERT_NE(source, nullptr);
  auto checked = fleet.run(
      "/usr/bin/python3",
      {"-c",
       "import json, jsonschema, sys\n"
       "jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))",
       fleet.folder() + "/out/result.json", std::string(source) + "/docs/result.schema.json"});
  EXPECT_EQ(checked.exitCode, 0) << checked.err;
}

TEST(RunCommand, StopsEverythingOnCtrlCAndReportsWhatThereIs) {
  Fleet fleet;
  std::string campaign = fleet.file("c.yaml",
                                    "campaign: long\n"
                                    "runners: [{name: a}]\n"
                                    "probes: [selftest: {samples: 100000, interval: 50ms}]\n");
  auto command = fleet.spawn(program("fleetmark"), {"run", campaign, "--out", "out"}, "run");
  ASSERT_TRUE(eventually([&] { return fleet.log("run").find("running") != std::string::npos; }))
      << fleet.log("run");
  command->interrupt();
  auto status = command->wait(std::chrono::seconds(60));
  ASSERT_TRUE(status) << fleet.log("run");
  EXPECT_EQ(status->code, 130) << fleet.log("run");
  EXPECT_TRUE(fs::exists(fleet.folder() + "/out/report.md")) << fleet.log("run");
  EXPECT_TRUE(eventually([&] { return fleet.survivors().empty(); })) << fleet.survivors().front();
}

TEST(RunCommand, EndsWithItsChildrenWhenKilled) {
  Fleet fleet;
  std::string campaign = fleet.file("c.yaml",
                                    "campaign: killed\n"
                                    "runners: [{name: a}]\n"
                                    "probes: [selftest: {samples: 100000, interval: 50ms}]\n");
  auto command = fleet.spawn(program("fleetmark"), {"run", campaign, "--out", "out"}, "run");
  ASSERT_TRUE(eventually([&] { return fleet.log("run").find("running") != std::string::npos; }));
  command->killTree();
  EXPECT_TRUE(eventually([&] { return fleet.survivors().empty(); })) << fleet.survivors().front();
}

TEST(Command, AnUnknownVerbIsNamedWithTheNearest) {
  Fleet fleet;
  auto result = fleet.run(program("fleetmark"), {"submitt", "x.yaml"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("unknown command 'submitt'; did you mean 'submit'?"), std::string::npos)
      << result.err;
}

struct BadInput {
  const char* name;
  const char* yaml;
  const char* message;
};

void PrintTo(const BadInput& input, std::ostream* out) { *out << input.name; }

class RunCommandRefuses : public testing::TestWithParam<BadInput> {};

TEST_P(RunCommandRefuses, WithPlaceReasonAndExitCode2) {
  Fleet fleet;
  std::string campaign = fleet.file("bad.yaml", GetParam().yaml);
  auto result = fleet.run(program("fleetmark"), {"run", "bad.yaml"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find(GetParam().message), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(fleet.folder() + "/out"));
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, RunCommandRefuses,
    testing::Values(
        BadInput{"Typo", "campaign: x\nrunners: [{name: a}]\nprobes:\n  - disk: {sample: 3}\n",
                 "bad.yaml:4:12: unknown key 'sample' under disk; did you mean 'samples'?"},
        BadInput{"Unit", "campaign: x\nrunners: [{name: a}]\nprobes:\n  - cpu: {duration: 30}\n",
                 "the unit is missing"},
        BadInput{"Probe", "campaign: x\nrunners: [{name: a}]\nprobes:\n  - cpv: {}\n",
                 "did you mean 'cpu'?"},
        BadInput{"EmptyMatrix", "campaign: x\nrunners: []\nprobes:\n  - cpu: {}\n", "bad.yaml:2"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace fleetmark::tests::e2e
