#include "common/platform/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "common/platform/process.h"

namespace fleetmark::platform {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::IsEmpty;

constexpr auto kLimit = 30s;  // far over anything that is waited for

// Starts a script in a session of its own, reads the first line it says, and forgets it.
std::string startAway(const std::string& script) {
  SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", script};
  options.ownSession = true;
  options.dieWithParent = false;
  options.pipeStdout = true;
  auto child = spawn(options);
  EXPECT_TRUE(child.has_value());
  std::string line;
  while (line.empty() || line.back() != '\n') {
    auto read = (*child)->readStdout(1, kLimit);
    if (!read || read->eof || read->timedOut) break;
    line += read->bytes;
  }
  // Its destructor would kill the group; leak checkers see that it is kept.
  static auto* forgotten = new std::vector<Process*>;
  forgotten->push_back(child->release());
  if (!line.empty()) line.pop_back();
  return line;
}

TEST(ProcessTree, FindsAndEndsWhatHasNoParentGroupOrSessionInCommon) {
  ASSERT_TRUE(adoptOrphans());
  EXPECT_TRUE(adoptsOrphans());
  auto pid = static_cast<pid_t>(std::stol(startAway("sleep 1000 >/dev/null & echo $!")));
  EXPECT_NE(::getsid(pid), ::getsid(0));
  EXPECT_THAT(descendants(), Contains(::testing::Field(&TreeProcess::pid, pid)));
  auto end = endDescendants(kLimit);
  EXPECT_THAT(end.left, IsEmpty());
  EXPECT_THAT(end.killed, Contains(::testing::Field(&TreeProcess::pid, pid)));
  EXPECT_THAT(descendants(), IsEmpty());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a zombie is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST(ProcessTree, EndsATreeThatGrows) {
  ASSERT_TRUE(adoptOrphans());
  startAway("(while :; do sleep 1000 & done) >/dev/null 2>&1 & echo started");
  auto end = endDescendants(kLimit);
  EXPECT_THAT(end.left, IsEmpty());
  EXPECT_THAT(descendants(), IsEmpty());
}

TEST(ProcessTree, OfNothingIsEmpty) {
  EXPECT_THAT(descendants(), IsEmpty());
  EXPECT_THAT(endDescendants(0ns).killed, IsEmpty());
}

}  // namespace
}  // namespace fleetmark::platform
