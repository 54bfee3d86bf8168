// The real program under a runner that is stopped or killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "agent/core/job_runner.h"
#include "common/platform/process_tree.h"
#include "tests/agent/core/work_values.h"

namespace fleetmark::agent::core {
namespace {

using namespace std::chrono_literals;

class ForgetfulSink final : public RunSink {
 public:
  base::Status chunk(const model::SampleChunk&) override { return {}; }
  void progress(const std::string&) override {}
  void log(const std::string&) override {}
};

// 'T' stopped, 'Z' zombie, 0 gone.
char stateOf(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  auto end = text.rfind(')');
  return end == std::string::npos ? '\0' : text[end + 2];
}

bool isOver(pid_t pid) { return stateOf(pid) == '\0' || stateOf(pid) == 'Z'; }

bool waitFor(const std::function<bool()>& reached) {
  for (auto stop = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < stop;
       std::this_thread::yield()) {
    if (reached()) return true;
  }
  return false;
}

// A process that runs a probe which hangs, under a lease that nobody renews.
class LeaseWatch : public ::testing::Test {
 protected:
  void start(base::Nanos lease) {
    runner_ = ::fork();
    if (runner_ == 0) {
      RunnerOptions options;
      options.program = std::string(std::getenv("FLEETMARK_BIN")) + "/fleetmark-agent";
      base::SystemClock clock;
      ForgetfulSink sink;
      RunControl control(clock.mono() + lease);
      auto assignment = testing::makeAssignment();
      assignment.paramsJson = testing::selftestParams(2, "hang");
      JobRunner(options, clock).run(assignment, sink, control);
      ::_exit(0);
    }
    ASSERT_TRUE(waitFor([this] {
      for (const auto& process : platform::descendants()) {
        if (process.name == "fleetmark-agent") probe_ = static_cast<pid_t>(process.pid);
      }
      return probe_ != 0;
    }));
    // Before that it waits for its request, which a stopped runner may not have written yet.
    ASSERT_TRUE(waitFor([this] { return watches() || isOver(probe_); }));
  }
  // The probe has begun to watch: the thread that does so is there.
  bool watches() {
    std::ifstream status("/proc/" + std::to_string(probe_) + "/status");
    std::string word;
    while (status >> word && word != "Threads:") {
    }
    int threads = 0;
    return status >> threads && threads > 1;
  }
  ~LeaseWatch() override {
    if (runner_ > 0) {
      ::kill(runner_, SIGKILL);
      ::waitpid(runner_, nullptr, 0);
    }
    platform::endDescendants(60s);
    if (probe_ > 0 && !isOver(probe_)) ::kill(probe_, SIGKILL);
  }

  pid_t runner_ = 0;
  pid_t probe_ = 0;
};

TEST_F(LeaseWatch, TheChildOfAStoppedAgentEndsWithTheLease) {
  start(3s);
  ::kill(runner_, SIGSTOP);
  EXPECT_TRUE(waitFor([this] { return isOver(probe_); }));
  EXPECT_EQ(stateOf(runner_), 'T') << "the agent must still be stopped";
}

TEST_F(LeaseWatch, TheChildOfAKilledAgentEndsLongBeforeTheLease) {
  start(24h);
  ::kill(runner_, SIGKILL);
  EXPECT_TRUE(waitFor([this] { return isOver(probe_); }));
}

}  // namespace
}  // namespace fleetmark::agent::core
