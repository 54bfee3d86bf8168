#include "common/platform/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <thread>

#include "common/platform/files.h"

namespace fleetmark::platform {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto kLong = 30s;  // far over anything that is waited for

SpawnOptions shell(const std::string& script) {
  SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", script};
  options.pipeStdout = true;
  return options;
}

std::unique_ptr<Process> start(const SpawnOptions& options) {
  auto child = spawn(options);
  EXPECT_TRUE(child.has_value()) << (child.has_value() ? "" : child.error().message);
  return child.has_value() ? std::move(child).value() : nullptr;
}

std::string readAll(Process& child) {
  std::string out;
  for (;;) {
    auto read = child.readStdout(65536, kLong);
    if (!read.has_value() || read->eof || read->timedOut) return out;
    out += read->bytes;
  }
}

std::string readLine(Process& child) {
  std::string out;
  while (out.empty() || out.back() != '\n') {
    auto read = child.readStdout(1, kLong);
    if (!read.has_value() || read->eof || read->timedOut) return out;
    out += read->bytes;
  }
  out.pop_back();
  return out;
}

// Gone, or a zombie that its new parent hasn't reaped yet.
bool isGone(pid_t pid) {
  if (::kill(pid, 0) != 0) return true;
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  auto end = text.rfind(')');
  return end == std::string::npos || text[end + 2] == 'Z' || text[end + 2] == 'X';
}

bool isGoneSoon(pid_t pid) {
  for (auto stop = std::chrono::steady_clock::now() + kLong;
       std::chrono::steady_clock::now() < stop; std::this_thread::yield()) {
    if (isGone(pid)) return true;
  }
  return false;
}

TEST(Spawn, PassesArgumentsEnvironmentAndFolder) {
  auto options = shell("echo \"$1|$FM_ADDED|$HOME|$(pwd)\"");
  options.arguments.insert(options.arguments.end(), {"zero", "a b"});
  options.environment = {"FM_ADDED=x=y", "HOME=/nowhere"};
  options.workingDirectory = "/usr/bin";
  auto child = start(options);
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(readAll(*child), "a b|x=y|/nowhere|/usr/bin\n");
  EXPECT_TRUE(child->wait(kLong)->clean());
}

TEST(Spawn, MissingProgramIsNotFound) {
  SpawnOptions options;
  options.program = "/usr/bin/there-is-no-such-program";
  auto child = spawn(options);
  ASSERT_FALSE(child.has_value());
  EXPECT_EQ(child.error().code, base::ErrorCode::kNotFound);
  EXPECT_THAT(child.error().message, HasSubstr("/usr/bin/there-is-no-such-program"));
}

TEST(Spawn, MissingFolderIsNotFoundAndNamesIt) {
  auto options = shell("true");
  options.workingDirectory = "/no/such/folder";
  auto child = spawn(options);
  ASSERT_FALSE(child.has_value());
  EXPECT_EQ(child.error().code, base::ErrorCode::kNotFound);
  EXPECT_THAT(child.error().message, HasSubstr("/no/such/folder"));
}

TEST(Spawn, FileThatIsNoProgramIsRefused) {
  SpawnOptions options;
  options.program = "/etc/passwd";
  auto child = spawn(options);
  ASSERT_FALSE(child.has_value());
  EXPECT_EQ(child.error().code, base::ErrorCode::kDenied);
}

TEST(Spawn, RelativePathIsInvalid) {
  SpawnOptions options;
  options.program = "sh";
  EXPECT_EQ(spawn(options).error().code, base::ErrorCode::kInvalid);
}

TEST(Spawn, UnknownUserIsNotFound) {
  auto options = shell("true");
  options.runAsUser = "no-such-user-here";
  EXPECT_EQ(spawn(options).error().code, base::ErrorCode::kNotFound);
}

TEST(Spawn, OtherUserGetsItsIdsAndStillDiesWithItsParent) {
  if (!runningAsRoot()) GTEST_SKIP() << "needs root to become another user";
  const passwd* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) GTEST_SKIP() << "no user 'nobody' here";
  uid_t uid = nobody->pw_uid;
  auto options = shell("echo $(id -u) $(id -g) $$; exec sleep 1000");
  options.runAsUser = "nobody";
  int pid = 0;
  std::string ids;
  std::thread([&] {
    auto child = start(options);
    ASSERT_NE(child, nullptr);
    ids = readLine(*child);
    pid = static_cast<int>(child->pid());
    // Ends this thread without the destructor's kill: only the kernel's word ends the child.
    static Process* forgotten = child.release();
    static_cast<void>(forgotten);
  }).join();
  EXPECT_THAT(ids, ::testing::StartsWith(std::to_string(uid) + " "));
  EXPECT_TRUE(isGoneSoon(pid));
  ::waitpid(pid, nullptr, 0);
}

TEST(Spawn, ChildKeepsOnlyTheStandardDescriptors) {
  int leak = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GT(leak, 2);
  auto child = start(shell("ls /proc/$$/fd | tr '\\n' ' '"));
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(readAll(*child), "0 1 2 ");
  ::close(leak);
}

TEST(Spawn, ResetsSignalMaskAndDispositions) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto old = ::signal(SIGPIPE, SIG_IGN);
  auto child = start(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d ' \\t\\n'"));
  ::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(readAll(*child), "SigBlk:0000000000000000SigIgn:0000000000000000");
}

TEST(Spawn, OutputFileIsAppendedAndTakesStderr) {
  auto folder = makeTemporaryFolder("fm-spawn-");
  ASSERT_TRUE(folder.has_value());
  for (const char* script : {"echo one", "echo two >&2"}) {
    auto options = shell(script);
    options.pipeStdout = false;
    options.stdoutFile = *folder + "/log";
    auto child = start(options);
    ASSERT_NE(child, nullptr);
    EXPECT_TRUE(child->wait(kLong)->clean());
  }
  EXPECT_EQ(*readFile(*folder + "/log", 100), "one\ntwo\n");
  EXPECT_TRUE(removeTree(*folder).has_value());
}

TEST(Process, TellsExitCodesFromSignals) {
  auto exits = start(shell("exit 3"));
  auto killed = start(shell("kill -9 $$"));
  auto first = exits->wait(kLong);
  auto second = killed->wait(kLong);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->describe(), "exit code 3");
  EXPECT_EQ(second->describe(), "killed by signal 9");
  EXPECT_FALSE(first->clean());
}

TEST(Process, WaitGivesUpAtTheLimit) {
  auto child = start(shell("exec sleep 1000"));
  EXPECT_EQ(child->wait(10ms), std::nullopt);
  EXPECT_EQ(child->wait(0ms), std::nullopt);
}

TEST(Process, ChildThatIgnoresSigtermIsKilled) {
  auto child = start(shell("trap '' TERM; echo ready; while :; do sleep 1000; done"));
  EXPECT_EQ(readLine(*child), "ready");
  child->terminate();
  EXPECT_EQ(child->wait(50ms), std::nullopt);
  child->killTree();
  auto status = child->wait(kLong);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->describe(), "killed by signal 9");
}

TEST(Process, InterruptReachesTheProcessAlone) {
  auto child = start(shell("trap 'echo interrupted; exit 0' INT; sleep 1000 & echo $!; wait"));
  pid_t grandchild = std::stoi(readLine(*child));
  child->interrupt();
  EXPECT_EQ(readLine(*child), "interrupted");
  EXPECT_TRUE(child->wait(kLong)->clean());
  EXPECT_TRUE(child->groupAlive());
  child->killTree();
  EXPECT_TRUE(isGoneSoon(grandchild));
}

TEST(Process, OrphansOfTheGroupAreSeenAndKilled) {
  auto child = start(shell("sleep 1000 >/dev/null 2>&1 & echo $!"));
  pid_t grandchild = std::stoi(readLine(*child));
  auto status = child->wait(kLong);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->clean());
  EXPECT_TRUE(child->groupAlive());
  child->killTree();
  EXPECT_TRUE(isGoneSoon(grandchild));
  EXPECT_FALSE(child->groupAlive());
}

TEST(Process, DestructionKillsTheWholeGroup) {
  auto child = start(shell("sleep 1000 & echo $!; wait"));
  pid_t grandchild = std::stoi(readLine(*child));
  auto pid = static_cast<pid_t>(child->pid());
  child.reset();
  EXPECT_TRUE(isGone(pid));
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1) << "a zombie is left";
  EXPECT_TRUE(isGoneSoon(grandchild));
}

TEST(Process, WithoutItsOwnGroupOnlyTheProcessIsKilled) {
  auto options = shell("echo $(ps -o pgid= -p $$); exec sleep 1000");
  options.ownProcessGroup = false;
  auto child = start(options);
  EXPECT_EQ(std::stoi(readLine(*child)), ::getpgrp());
  child->killTree();  // this test would die with the group
  EXPECT_EQ(child->wait(kLong)->describe(), "killed by signal 9");
}

TEST(Process, HugeOutputArrivesWhole) {
  auto child = start(shell("head -c 50000000 /dev/zero"));
  std::size_t total = 0;
  for (;;) {
    auto read = child->readStdout(1 << 20, kLong);
    ASSERT_TRUE(read.has_value());
    ASSERT_FALSE(read->timedOut);
    if (read->eof) break;
    total += read->bytes.size();
  }
  EXPECT_EQ(total, 50'000'000U);
  EXPECT_TRUE(child->wait(kLong)->clean());
}

TEST(Process, ReadTimesOutWhileTheChildIsSilent) {
  auto child = start(shell("exec sleep 1000"));
  auto read = child->readStdout(100, 5ms);
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->timedOut);
  EXPECT_FALSE(read->eof);
}

TEST(Process, StderrIsAPipeOfItsOwn) {
  auto options = shell("echo out; echo err >&2");
  options.pipeStderr = true;
  auto child = start(options);
  EXPECT_EQ(readAll(*child), "out\n");
  EXPECT_EQ(child->readStderr(100, kLong)->bytes, "err\n");
}

TEST(Process, InputReachesTheChild) {
  auto options = shell("");
  options.program = "/bin/cat";
  options.arguments = {};
  options.pipeStdin = true;
  auto child = start(options);
  ASSERT_TRUE(child->writeStdin("hello").has_value());
  child->closeStdin();
  EXPECT_EQ(readAll(*child), "hello");
  EXPECT_FALSE(child->writeStdin("more").has_value());
}

TEST(Process, WritingToAChildThatHasGoneIsAnErrorAndNoSignal) {
  auto options = shell("exec true");
  options.pipeStdin = true;
  auto child = start(options);
  ASSERT_TRUE(child->wait(kLong));
  auto written = child->writeStdin("hello");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, base::ErrorCode::kUnavailable);
}

TEST(Process, KillFromAnotherThreadEndsAWait) {
  auto child = start(shell("exec sleep 1000"));
  auto waiting = std::async(std::launch::async, [&] { return child->wait(kLong); });
  child->killTree();
  auto status = waiting.get();
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->signalled);
}

TEST(Process, OwnExecutableIsThisProgram) {
  struct stat named {};
  struct stat running {};
  ASSERT_EQ(::stat(ownExecutable().c_str(), &named), 0);
  ASSERT_EQ(::stat("/proc/self/exe", &running), 0);
  EXPECT_EQ(named.st_ino, running.st_ino);
  EXPECT_EQ(ownPid(), ::getpid());
}

}  // namespace
}  // namespace fleetmark::platform
