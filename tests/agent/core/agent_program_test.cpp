// The built program, as a person and as the agent call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/base/version.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "tests/agent/core/work_values.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

Ran runAgent(const std::vector<std::string>& arguments, const std::string& input = "",
             const std::vector<std::string>& environment = {}) {
  platform::SpawnOptions options;
  options.program = std::string(std::getenv("FLEETMARK_BIN")) + "/fleetmark-agent";
  options.arguments = arguments;
  options.environment = environment;
  options.pipeStdin = options.pipeStdout = options.pipeStderr = true;
  auto process = platform::spawn(options);
  EXPECT_TRUE(process);
  Ran ran;
  auto ignored = (*process)->writeStdin(input);
  (void)ignored;
  (*process)->closeStdin();
  for (bool more = true; more;) {
    auto read = (*process)->readStdout(65536, std::chrono::seconds(30));
    EXPECT_TRUE(read && !read->timedOut);
    if (!read || read->timedOut) break;
    ran.out += read->bytes;
    more = !read->eof;
  }
  for (bool more = true; more;) {
    auto read = (*process)->readStderr(65536, std::chrono::seconds(30));
    if (!read || read->timedOut) break;
    ran.err += read->bytes;
    more = !read->eof;
  }
  auto exit = (*process)->wait(std::chrono::seconds(30));
  EXPECT_TRUE(exit && !exit->signalled);
  if (exit) ran.code = exit->code;
  return ran;
}

TEST(AgentProgram, SaysItsVersionAndHelpsWithExamples) {
  auto version = runAgent({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, "fleetmark-agent " + std::string(base::kVersion) + "\n");
  auto help = runAgent({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("fleetmark-agent probe disk --path /var/tmp --file 1GiB"));
  EXPECT_THAT(help.out, HasSubstr("fleetmark-agent run --coordinator"));
}

// printf 1/0 | sha256sum | head -c 8, as a number with separators
TEST(AgentProgram, RunsAProbeByHand) {
  auto ran = runAgent({"probe", "selftest", "--samples", "2"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("416,735,690"));
  EXPECT_THAT(ran.out, HasSubstr("  ok\n"));
  EXPECT_THAT(ran.out, HasSubstr("selftest: 2 samples, 2 ok\n"));
}

TEST(AgentProgram, RunsAProbeByHandAsJsonLines) {
  auto ran = runAgent({"probe", "selftest", "--samples", "1", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"metric\":\"selftest_value\""));
  EXPECT_THAT(ran.out, HasSubstr("\"type\":\"end\""));
}

TEST(AgentProgram, AFailedMeasurementByHandIsExitCode1) {
  auto ran = runAgent({"probe", "selftest", "--fault", "fail"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("asked to fail"));
}

TEST(AgentProgram, BadInputIsExitCode2AndNamesIt) {
  EXPECT_EQ(runAgent({"probe", "teleport"}).code, 2);
  auto unit = runAgent({"probe", "selftest", "--interval", "5"});
  EXPECT_EQ(unit.code, 2);
  EXPECT_THAT(unit.err, HasSubstr("parameter 'interval' of probe 'selftest'"));
  auto choice = runAgent({"probe", "selftest", "--fault", "sing"});
  EXPECT_EQ(choice.code, 2);
  EXPECT_THAT(choice.err, HasSubstr("none, fail, crash"));
  EXPECT_EQ(runAgent({"--frobnicate"}).code, 2);
  auto none = runAgent({"run"}, "", {"FLEETMARK_COORDINATOR="});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--coordinator host:port"));
}

TEST(AgentProgram, ARequestThatIsNoneIsExitCode2WithoutAnEvent) {
  for (const char* input :
       {"", "garbage", R"({"probe":"cpu","protocol":1,"params":{},"placement":{}})"}) {
    auto ran = runAgent({"probe", "selftest", "--pipe"}, input);
    EXPECT_EQ(ran.code, 2) << input;
    EXPECT_EQ(ran.out, "") << input;
    EXPECT_THAT(ran.err, StartsWith("fleetmark-agent: ")) << input;
  }
}

// A probe that hangs, started as the agent does it; with what follows the request on its input.
std::unique_ptr<platform::Process> startHanging(const std::string& after) {
  platform::SpawnOptions options;
  options.program = std::string(std::getenv("FLEETMARK_BIN")) + "/fleetmark-agent";
  options.arguments = {"probe", "selftest", "--pipe"};
  options.pipeStdin = true;
  auto process = platform::spawn(options);
  EXPECT_TRUE(process);
  EXPECT_TRUE(
      (*process)->writeStdin(R"({"probe":"selftest","protocol":1,"placement":{},"params":)" +
                             core::testing::selftestParams(2, "hang") + "}\n" + after));
  return std::move(process).value();
}

TEST(AgentProgram, AProbeForTheAgentEndsWhenItsInputDoes) {
  auto process = startHanging("");
  process->closeStdin();
  auto exit = process->wait(std::chrono::seconds(60));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->describe(), "killed by signal 9");
}

TEST(AgentProgram, AProbeForTheAgentEndsWithALeaseThatIsOver) {
  auto process = startHanging("lease 1 1\n");
  auto exit = process->wait(std::chrono::seconds(60));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->describe(), "killed by signal 9");
}

TEST(AgentProgram, PrintsTheHostAsJson) {
  auto ran = runAgent({"host"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith("{\n"));
  EXPECT_THAT(ran.out, HasSubstr("\"machine_key\": \""));
}

TEST(AgentProgram, ReadsConfigurationFromFileAndVariables) {
  tests::TemporaryFolder folder;
  std::string path = folder.path() + "/agent.yaml";
  ASSERT_TRUE(platform::writePrivateFile(path, "coordinators: [127.0.0.1:1]\nstat: /x\n"));
  auto typo = runAgent({"run", "--config", path});
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr(path + ":2:1: unknown key 'stat'; did you mean 'state'?"));
  auto absent = runAgent({}, "",
                         {"FLEETMARK_COORDINATOR=127.0.0.1:1", "FLEETMARK_STATE=" + folder.path(),
                          "FLEETMARK_IDENTITY=" + folder.path() + "/nowhere"});
  EXPECT_EQ(absent.code, 2);
  EXPECT_THAT(absent.err, HasSubstr("nowhere/certificate.pem"));
}

TEST(AgentProgram, OneAgentAStateFolder) {
  tests::TemporaryFolder folder;
  for (const char* name : {"certificate.pem", "key.pem", "ca.pem"}) {
    ASSERT_TRUE(platform::writePrivateFile(folder.path() + "/" + name, "x"));
  }
  auto lock = platform::lockFile(folder.path() + "/lock");
  ASSERT_TRUE(lock);
  auto second = runAgent({"run", "--coordinator", "127.0.0.1:1", "--state", folder.path(),
                          "--identity", folder.path()});
  EXPECT_EQ(second.code, 3);
  EXPECT_THAT(second.err, HasSubstr("another agent already uses the state folder"));
}

}  // namespace
}  // namespace fleetmark::agent
