#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/platform/linux/host_linux.h"
#include "agent/platform/platform.h"
#include "common/platform/process.h"

namespace fleetmark::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string output(const std::string& program, std::vector<std::string> arguments) {
  platform::SpawnOptions options;
  options.program = program;
  options.arguments = std::move(arguments);
  options.pipeStdout = true;
  auto child = platform::spawn(options);
  if (!child.has_value()) return {};
  std::string out;
  for (;;) {
    auto read = (*child)->readStdout(4096, std::chrono::seconds(60));
    if (!read.has_value() || read->eof || read->timedOut) break;
    out += read->bytes;
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

TEST(HostFacts, AgreeWithOtherTools) {
  auto facts = makePlatform()->host().facts();
  EXPECT_EQ(facts.os, "linux");
  EXPECT_EQ(facts.hostname, output("/usr/bin/uname", {"-n"}));
  EXPECT_EQ(facts.kernel, output("/usr/bin/uname", {"-sr"}));
  std::string machine = output("/usr/bin/uname", {"-m"});
  EXPECT_EQ(facts.arch, machine == "x86_64" ? "x64" : machine == "aarch64" ? "arm64" : machine);
  EXPECT_LE(facts.effectiveCpus, std::stod(output("/usr/bin/nproc", {"--all"})));
  EXPECT_GT(facts.effectiveCpus, 0);
  // sysinfo leaves out nothing that /proc/meminfo counts but rounds to pages.
  struct sysinfo memory {};
  ASSERT_EQ(::sysinfo(&memory), 0);
  EXPECT_NEAR(static_cast<double>(facts.memoryBytes),
              static_cast<double>(memory.totalram) * memory.mem_unit, 1 << 20);
  EXPECT_FALSE(facts.bootId.empty());
  EXPECT_EQ(facts.machineKey, "boot:" + facts.bootId);
}

TEST(HostFacts, EffectiveCpusFollowTheAffinity) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  auto platform = makePlatform();
  auto allowed = platform->affinity().allowed();
  ASSERT_TRUE(allowed.has_value());
  ASSERT_TRUE(platform->affinity().pin(allowed->front()).has_value());
  double pinned = platform->host().facts().effectiveCpus;
  ::sched_setaffinity(0, sizeof before, &before);
  EXPECT_LE(pinned, 1.0);
  EXPECT_GT(pinned, 0.0);
}

TEST(HostFacts, RawMachineIdNeverLeaves) {
  std::ifstream file("/etc/machine-id");
  std::string raw;
  if (!(file >> raw)) GTEST_SKIP() << "no /etc/machine-id here";
  auto facts = makePlatform()->host().facts();
  EXPECT_EQ(facts.machineId.size(), 32U);
  EXPECT_NE(facts.machineId, raw);
  EXPECT_THAT(facts.environmentJson, Not(HasSubstr(raw)));
}

// printf 'fleetmark machine 0123456789abcdef0123456789abcdef' | sha256sum
TEST(HostFacts, MachineIdIsAHashThatOtherToolsCompute) {
  EXPECT_EQ(linux_os::hashedMachineId("0123456789abcdef0123456789abcdef"),
            "30bf68bc0f5a2980455141a181029523");
  EXPECT_EQ(linux_os::hashedMachineId(""), "") << "nothing to hash, nothing invented";
}

TEST(HostFacts, EnvironmentHoldsTheBuildAndThisProgramsHash) {
  auto environment = nlohmann::json::parse(makePlatform()->host().facts().environmentJson);
  std::string expected = output("/usr/bin/sha256sum", {platform::ownExecutable()}).substr(0, 64);
  EXPECT_EQ(environment["build"]["binary_sha256"], expected);
  EXPECT_FALSE(environment["build"]["compiler"].get<std::string>().empty());
  EXPECT_TRUE(environment["mounts"].is_array());
  EXPECT_TRUE(environment["block_devices"].is_array());
}

}  // namespace
}  // namespace fleetmark::agent
