#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "common/platform/process.h"
#include "common/platform/process_tree.h"
#include "tests/agent/probes/fakes.h"

namespace fleetmark::agent::probes {
namespace {

using namespace std::chrono_literals;
using testing::KeepingSink;
using testing::MixedPlatform;

base::Status runSelftest(const std::string& fault, KeepingSink& sink, int samples = 4) {
  MixedPlatform platform;
  base::SystemClock clock;
  return testing::runProbe(
      "selftest",
      {{"samples", std::to_string(samples)}, {"seed", "1"}, {"fault", "\"" + fault + "\""}},
      platform, clock, sink);
}

// for i in 0 1 2 3; do printf "1/$i" | sha256sum | cut -c1-8; done
TEST(SelftestProbe, ValuesAreThoseThatSha256sumGives) {
  KeepingSink sink;
  ASSERT_TRUE(runSelftest("none", sink).has_value());
  std::vector<double> values;
  for (const auto& sample : sink.samples) values.push_back(*sample.value);
  EXPECT_THAT(values, ::testing::ElementsAre(0x18d6e1ca, 0x253d950f, 0xd939926f, 0x0d7f0e33));
  EXPECT_EQ(sink.samples[3].index, 3U);
}

TEST(SelftestProbe, NoSamplesIsNoFault) {
  KeepingSink sink;
  EXPECT_TRUE(runSelftest("none", sink, 0).has_value());
  EXPECT_TRUE(sink.samples.empty());
}

TEST(SelftestProbe, FailComesAfterHalfOfTheValues) {
  KeepingSink sink;
  auto status = runSelftest("fail", sink);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(sink.samples.size(), 2U);
}

TEST(SelftestProbe, CrashAndExitDoAsTheySay) {
  KeepingSink sink;
  EXPECT_EXIT(static_cast<void>(runSelftest("crash", sink)), ::testing::KilledBySignal(SIGABRT),
              "");
  EXPECT_EXIT(static_cast<void>(runSelftest("exit", sink)), ::testing::ExitedWithCode(3), "");
}

// Forks a child that runs the probe, with its output on a pipe, and says on the pipe when it
// has reached the fault.
struct Child {
  pid_t pid = 0;
  int out = -1;
};

Child forkSelftest(const std::string& fault) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  Child child;
  child.pid = ::fork();
  child.out = ends[0];
  if (child.pid == 0) {
    ::setpgid(0, 0);
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    ::close(ends[1]);
    KeepingSink sink;
    auto status = runSelftest(fault, sink);
    ::_exit(status.has_value() && sink.samples.size() == 4 ? 0 : 1);
  }
  ::close(ends[1]);
  return child;
}

bool sleeps(pid_t pid) {
  for (auto stop = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < stop;
       std::this_thread::yield()) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/wchan");
    std::string where;
    if (stat >> where && where.find("nanosleep") != std::string::npos) return true;
  }
  return false;
}

int reap(const Child& child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child.pid, &status, 0), child.pid);
  ::close(child.out);
  return status;
}

TEST(SelftestProbe, HangEndsOnSigterm) {
  auto child = forkSelftest("hang");
  ::kill(child.pid, SIGTERM);
  EXPECT_EQ(WTERMSIG(reap(child)), SIGTERM);
}

TEST(SelftestProbe, IgnoreTermNeedsSigkill) {
  auto child = forkSelftest("ignore-term");
  if (!sleeps(child.pid)) {
    ::kill(child.pid, SIGKILL);
    reap(child);
    GTEST_SKIP() << "this kernel doesn't tell where a process waits";
  }
  ::kill(child.pid, SIGTERM);
  EXPECT_EQ(::waitpid(child.pid, nullptr, WNOHANG), 0);
  ::kill(child.pid, SIGKILL);
  EXPECT_EQ(WTERMSIG(reap(child)), SIGKILL);
}

TEST(SelftestProbe, GarbageStandsOnTheOutputAndTheRunGoesOn) {
  auto child = forkSelftest("garbage");
  std::string read(8192, '\0');
  std::size_t total = 0;
  for (ssize_t got = 0; (got = ::read(child.out, read.data(), read.size())) > 0;) {
    total += static_cast<std::size_t>(got);
  }
  EXPECT_EQ(total, 4096U);
  EXPECT_EQ(WEXITSTATUS(reap(child)), 0);
}

TEST(SelftestProbe, OrphanStaysInTheGroupAfterAGoodEnd) {
  auto child = forkSelftest("orphan");
  siginfo_t info{};
  // Not reaped yet: the group's number stays taken.
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(info.si_status, 0);
  EXPECT_EQ(::kill(-child.pid, SIGKILL), 0);
  reap(child);
}

TEST(SelftestProbe, EscapeLeavesAProcessThatIsNoneOfTheGroup) {
  ASSERT_TRUE(platform::adoptOrphans());
  auto child = forkSelftest("escape");
  EXPECT_EQ(WEXITSTATUS(reap(child)), 0);
  EXPECT_EQ(::kill(-child.pid, SIGKILL), -1) << "somebody is left in the group";
  auto end = platform::endDescendants(30s);
  EXPECT_THAT(end.killed,
              ::testing::ElementsAre(::testing::Field(&platform::TreeProcess::name, "sleep")));
}

}  // namespace
}  // namespace fleetmark::agent::probes
