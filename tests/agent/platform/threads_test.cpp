#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <thread>

#include "agent/platform/platform.h"

namespace fleetmark::agent {
namespace {

using namespace std::chrono_literals;

// On a thread of its own: affinity and clocks are the thread's.
template <typename Body>
void onThread(Body body) {
  std::thread(body).join();
}

TEST(CpuAffinity, PinIsReadBackAndMoves) {
  onThread([] {
    auto platform = makePlatform();
    auto& affinity = platform->affinity();
    auto allowed = affinity.allowed();
    ASSERT_TRUE(allowed.has_value());
    ASSERT_FALSE(allowed->empty());
    for (int cpu : *allowed) {
      ASSERT_TRUE(affinity.pin(cpu).has_value());
      EXPECT_EQ(*affinity.allowed(), std::vector<int>{cpu});
      EXPECT_EQ(*affinity.current(), cpu);
      EXPECT_EQ(::sched_getcpu(), cpu);
    }
  });
}

TEST(CpuAffinity, CpuThatIsNotThereIsRefusedAndNothingChanges) {
  onThread([] {
    auto platform = makePlatform();
    auto before = *platform->affinity().allowed();
    for (int cpu : {-1, 60000, 1 << 20}) {
      EXPECT_FALSE(platform->affinity().pin(cpu).has_value()) << cpu;
    }
    EXPECT_EQ(*platform->affinity().allowed(), before);
  });
}

TEST(ContentionMeter, CountersGrowWithWork) {
  onThread([] {
    auto platform = makePlatform();
    auto& meter = platform->contention();
    auto before = meter.read();
    volatile std::uint64_t sink = 0;
    while (*meter.threadCpuTime() < *before.threadCpu + 20ms) sink = sink + 1;
    std::this_thread::yield();
    auto after = meter.read();
    EXPECT_GE(*after.threadCpu - *before.threadCpu, 20ms);
    EXPECT_GE(*after.voluntarySwitches, *before.voluntarySwitches);
    EXPECT_GE(*after.involuntarySwitches, *before.involuntarySwitches);
    EXPECT_TRUE(after.load1.has_value());
    EXPECT_TRUE(after.cpu.has_value());
    if (after.cpuPressure) {
      EXPECT_GE(*after.cpuPressure, *before.cpuPressure);
    }
  });
}

TEST(ContentionMeter, ThreadTimeIsOfTheCallingThreadAlone) {
  auto platform = makePlatform();
  auto before = *platform->contention().threadCpuTime();
  onThread([&] {
    volatile std::uint64_t sink = 0;
    while (*platform->contention().threadCpuTime() < 50ms) sink = sink + 1;
  });
  EXPECT_LT(*platform->contention().threadCpuTime() - before, 50ms);
}

}  // namespace
}  // namespace fleetmark::agent
