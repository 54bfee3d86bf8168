// The files in data/ were written by the kernel of a real machine, see data/README.md.
#include "agent/platform/linux/proc_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace fleetmark::agent::linux_os {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string data(const std::string& name) {
  const char* root = std::getenv("FLEETMARK_SOURCE");
  std::string path =
      std::string(root != nullptr ? root : ".") + "/tests/agent/platform/data/" + name;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CpuInfo, NamesAnX64CpuUnderAHypervisor) {
  auto info = parseCpuInfo(data("cpuinfo_x64.txt"));
  EXPECT_EQ(info.model, "AMD EPYC");
  EXPECT_TRUE(info.hypervisorFlag);
  EXPECT_EQ(info.microcode, "");
}

// Arm publishes 0x41 as its own code and 0xd0c as the part number of Neoverse N1.
TEST(CpuInfo, NamesAnArm64CpuByImplementerAndPart) {
  auto info = parseCpuInfo(
      "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
      "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n");
  EXPECT_EQ(info.model, "ARM Neoverse-N1");
  EXPECT_FALSE(info.hypervisorFlag);
  EXPECT_EQ(arm64CpuName(0x7f, 0xabc), "implementer 0x7f part 0xabc");
}

TEST(CpuInfo, OfNothingIsEmpty) {
  EXPECT_EQ(parseCpuInfo("").model, "");
  EXPECT_EQ(parseCpuInfo("model name").model, "");
}

TEST(ProcText, ReadsMemoryInBytes) {
  EXPECT_EQ(parseMemTotal(data("meminfo.txt")), 24683620LL * 1024);
  EXPECT_EQ(parseMemTotal("MemTotal: many kB\n"), std::nullopt);
}

TEST(ProcText, ReadsStealOfAllCpus) {
  EXPECT_EQ(parseSteal(data("stat.txt"), 100), base::Nanos(0));
  EXPECT_EQ(parseSteal("cpu  1 2 3 4 5 6 7 25 0 0\ncpu0 1 2 3 4 5 6 7 9 0 0\n", 100),
            base::Nanos(250ms));
  EXPECT_EQ(parseSteal("cpu  1 2 3 4\n", 100), std::nullopt) << "too old to say";
}

// user + nice + system + irq + softirq + steal of data/stat.txt: 175021 + 62696 + 550 ticks.
TEST(ProcText, ReadsWhatAllCpusDo) {
  auto seen = parseCpuActivity(data("stat.txt"), 100);
  EXPECT_EQ(seen.cpus, 2);
  EXPECT_EQ(seen.busy, base::Nanos(2382670ms));
  EXPECT_EQ(parseCpuActivity("cpu  1 2 4 8 16 32 64 128 3 3\n", 100).busy, base::Nanos(2310ms))
      << "idle and I/O wait don't count, guest times already stand in user and nice";
  EXPECT_EQ(parseCpuActivity("cpu  1 2 3 4\nprocs_running 7\n", 100).runnable, 7);
  EXPECT_EQ(parseCpuActivity("cpu  1 2 3 4\ncpu0 1 2 3 4\n", 100).busy, std::nullopt);
  auto nothing = parseCpuActivity("", 100);
  EXPECT_FALSE(nothing.cpus || nothing.busy || nothing.runnable);
}

TEST(ProcText, ReadsTotalCpuPressure) {
  EXPECT_EQ(parsePressureSome(data("pressure_cpu.txt")), base::Nanos(935531448us));
  EXPECT_EQ(parsePressureSome(""), std::nullopt);
}

TEST(ProcText, ReadsLoad) { EXPECT_EQ(parseLoad1(data("loadavg.txt")), 15.52); }

TEST(ProcText, ReadsBytesMovedByTheBlockLayer) {
  auto io = parseProcIo(data("self_io.txt"));
  ASSERT_TRUE(io);
  EXPECT_EQ(io->readBytes, 139264);
  EXPECT_EQ(io->writeBytes, 4214784) << "not cancelled_write_bytes, not wchar";
  EXPECT_FALSE(parseProcIo("rchar: 1\nwchar: 2\n"));
}

TEST(ProcText, ReadsThrottlingOfBothCgroupVersions) {
  EXPECT_EQ(parseCpuStat(data("cpu_stat_v1.txt"))->periods, 0);
  auto first = parseCpuStat("nr_periods 9\nnr_throttled 4\nthrottled_time 5000\n");
  auto second = parseCpuStat("usage_usec 8\nnr_periods 9\nnr_throttled 4\nthrottled_usec 5\n");
  EXPECT_EQ(first->time, base::Nanos(5us));
  EXPECT_EQ(second->time, base::Nanos(5us));
  EXPECT_EQ(second->periods, 4);
  EXPECT_FALSE(parseCpuStat("usage_usec 8\n")) << "the root group counts no throttling";
}

TEST(ProcText, ReadsQuotasOfBothCgroupVersions) {
  EXPECT_EQ(parseCpuMax("150000 100000\n"), 1.5);
  EXPECT_EQ(parseCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(quotaOf("50000\n", "100000\n"), 0.5);
  EXPECT_EQ(quotaOf("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(quotaOf("1", "0"), std::nullopt);
}

TEST(ProcText, ReadsCpuLists) {
  EXPECT_THAT(*parseCpuList("0-3,8\n"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(*parseCpuList("\n"), IsEmpty());
  for (const char* wrong : {"a", "3-1", "1-", "-1", "0-99999999"}) {
    EXPECT_FALSE(parseCpuList(wrong)) << wrong;
  }
}

TEST(ProcText, ReadsQuotedKeyValues) {
  EXPECT_EQ(parseKeyValues(data("os-release.txt"))["PRETTY_NAME"],
            "Debian GNU/Linux 12 (bookworm)");
  auto values = parseKeyValues("# A=1\nB='x y'\nC=\nD=a=b\nnothing\n");
  EXPECT_EQ(values.size(), 3U);
  EXPECT_EQ(values["B"], "x y");
  EXPECT_EQ(values["D"], "a=b");
}

TEST(ProcText, TellsCgroupsOfBothVersionsApart) {
  auto groups = parseCgroups(data("cgroup_hybrid.txt"));
  EXPECT_EQ(groups.unified, "/");
  EXPECT_EQ(groups.controllers["memory"], "/jobs/one");
  EXPECT_EQ(groups.controllers["cpu"], "/");
  EXPECT_EQ(parseCgroups("4:cpu,cpuacct:/a\n").controllers["cpuacct"], "/a");
}

TEST(MountInfo, FindsTheMountOfAPath) {
  auto mounts = parseMountInfo(data("mountinfo_hybrid.txt"));
  const Mount* root = mountOf(mounts, "/var/tmp");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->type, "ext4");
  EXPECT_EQ(root->source, "/dev/vda");
  EXPECT_EQ(root->superOptions.substr(0, 2), "rw");
  EXPECT_EQ(mountOf(mounts, "/dev/shm/x")->type, "tmpfs");
  EXPECT_EQ(mountOf(mounts, "/dev/shmother")->type, "devtmpfs") << "not a part of a name";
}

TEST(MountInfo, TakesTheLastOfSeveralOnOnePointAndUnescapes) {
  auto mounts = parseMountInfo(
      "1 0 8:1 / / rw - ext4 /dev/a rw\n"
      "2 1 8:2 / /my\\040disk rw shared:5 master:1 - xfs /dev/b rw,noquota\n"
      "3 2 0:9 / /my\\040disk ro - tmpfs none rw\n"
      "broken line\n");
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_EQ(mounts[1].point, "/my disk");
  EXPECT_EQ(mounts[1].source, "/dev/b");
  EXPECT_EQ(mountOf(mounts, "/my disk/x")->type, "tmpfs");
}

}  // namespace
}  // namespace fleetmark::agent::linux_os
