#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/agent/probes/fakes.h"

namespace fleetmark::agent::probes {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using testing::FakeAffinity;
using ::testing::HasSubstr;
using testing::KeepingSink;
using testing::MixedPlatform;
using testing::runProbe;

const std::map<std::string, std::string> kShort{{"samples", "2"}, {"duration_ns", "100000000"}};

// On a thread of its own, which the probe pins.
base::Status runCpu(Platform& platform, KeepingSink& sink) {
  base::Status status;
  base::SystemClock clock;
  std::thread([&] { status = runProbe("cpu", kShort, platform, clock, sink); }).join();
  return status;
}

TEST(CpuProbe, BothRatesComeWithEvidenceForEachSample) {
  MixedPlatform platform;
  KeepingSink sink;
  auto status = runCpu(platform, sink);
  ASSERT_TRUE(status.has_value()) << status.error().message;
  ASSERT_EQ(sink.samples.size(), 4U);
  for (std::uint32_t index = 0; index < 2; ++index) {
    const auto wall = sink.of("cpu_rate")[index];
    const auto byCpu = sink.of("cpu_rate_by_cpu_time")[index];
    EXPECT_EQ(wall.index, index);
    EXPECT_THAT(wall.verdict, AnyOf(model::Verdict::kOk, model::Verdict::kContended));
    auto about = nlohmann::json::parse(wall.contextJson);
    EXPECT_EQ(about["kernel"], "fleetmark-int");
    EXPECT_EQ(about["iterations_wrong"], 0);
    EXPECT_TRUE(about["pin_in_force"].get<bool>());
    EXPECT_EQ(about["contention"]["cpu_before"], about["pinned_cpu"]);
    EXPECT_EQ(about["contention"]["cpu_after"], about["pinned_cpu"]);
    EXPECT_TRUE(about["contention"].contains("involuntary_switches"));
    double seconds = about["wall_ns"].get<double>() / 1e9;
    EXPECT_GE(seconds, 0.1);
    EXPECT_DOUBLE_EQ(*wall.value, about["iterations"].get<double>() / seconds);
    EXPECT_GE(*byCpu.value, *wall.value) << "CPU time can't exceed wall time";
  }
}

TEST(CpuProbe, SpinningNeighbourOnTheSameCpuIsFoundOut) {
  MixedPlatform platform;
  auto allowed = platform.affinity().allowed();
  ASSERT_TRUE(allowed.has_value());
  std::atomic<bool> stop{false};
  std::atomic<bool> spinning{false};
  std::thread neighbour([&] {
    ASSERT_TRUE(platform.affinity().pin(allowed->back()).has_value());
    spinning = true;
    while (!stop) {
    }
  });
  while (!spinning) std::this_thread::yield();
  KeepingSink sink;
  auto status = runCpu(platform, sink);
  stop = true;
  neighbour.join();
  ASSERT_TRUE(status.has_value()) << status.error().message;
  for (const auto& sample : sink.samples) {
    EXPECT_EQ(sample.verdict, model::Verdict::kContended) << sample.contextJson;
    EXPECT_TRUE(sample.value.has_value()) << "flagged, not thrown away";
    EXPECT_THAT(sample.reasons.at(0), HasSubstr("less than 98 %"));
  }
}

TEST(CpuProbe, RefusedPinIsAFailureWithoutSamples) {
  MixedPlatform platform;
  FakeAffinity affinity;
  affinity.refusal = base::denied("cpuset says no");
  platform.affinityFake = &affinity;
  KeepingSink sink;
  auto status = runCpu(platform, sink);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kDenied);
  EXPECT_TRUE(sink.samples.empty());
}

TEST(CpuProbe, PinThatIsAcceptedButNotInForceIsAFailure) {
  MixedPlatform platform;
  FakeAffinity affinity;
  affinity.pretends = true;
  platform.affinityFake = &affinity;
  KeepingSink sink;
  auto status = runCpu(platform, sink);
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr("isn't in force"));
  EXPECT_TRUE(sink.samples.empty());
}

TEST(CpuProbe, PinLostDuringASampleMakesItUnverified) {
  MixedPlatform platform;
  FakeAffinity affinity;
  affinity.loosensAfterLooks = 3;  // allowed set, read back, before the first sample
  platform.affinityFake = &affinity;
  KeepingSink sink;
  ASSERT_TRUE(runCpu(platform, sink).has_value());
  ASSERT_EQ(sink.samples.size(), 4U);
  for (const auto& sample : sink.samples) {
    EXPECT_EQ(sample.verdict, model::Verdict::kUnverified);
  }
}

TEST(CpuProbe, NoAllowedCpuIsUnsupported) {
  MixedPlatform platform;
  FakeAffinity affinity;
  affinity.cpus = {};
  platform.affinityFake = &affinity;
  KeepingSink sink;
  EXPECT_EQ(runCpu(platform, sink).error().code, base::ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace fleetmark::agent::probes
