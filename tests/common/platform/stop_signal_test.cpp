#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "common/platform/process.h"

namespace fleetmark::platform {
namespace {

using namespace std::chrono_literals;

// The flag is the process's own: each test here runs in a forked one.
template <typename Check>
int exitCodeInChild(Check check) {
  EXPECT_EXIT(::_exit(check() ? 0 : 1), ::testing::ExitedWithCode(0), "");
  return 0;
}

TEST(StopSignal, IsQuietUntilASignalComes) {
  exitCodeInChild([] {
    StopSignal::install();
    return !StopSignal::requested() && !StopSignal::waitFor(1ms) && StopSignal::count() == 0;
  });
}

TEST(StopSignal, CountsSigtermAndSigintAndEndsAWaitAtOnce) {
  exitCodeInChild([] {
    StopSignal::install();
    ::kill(::getpid(), SIGTERM);
    bool first = StopSignal::waitFor(1h);
    ::kill(::getpid(), SIGINT);
    return first && StopSignal::waitFor(1h) && StopSignal::count() == 2;
  });
}

TEST(StopSignal, RaiseActsLikeASignal) {
  exitCodeInChild([] {
    StopSignal::raise();
    return StopSignal::requested() && StopSignal::waitFor(1h);
  });
}

TEST(StopSignal, SigpipeIsIgnored) {
  exitCodeInChild([] {
    StopSignal::install();
    ::raise(SIGPIPE);
    return true;
  });
}

}  // namespace
}  // namespace fleetmark::platform
