// The disk probe on a disk that lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/random.h"
#include "tests/agent/probes/fakes.h"

namespace fleetmark::agent::probes {
namespace {

using namespace std::chrono_literals;
using testing::Action;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::KeepingSink;
using testing::LyingDisk;
using testing::MixedPlatform;
using testing::SteppedClock;

constexpr std::size_t kChunk = 1 << 20;

class DiskFaults : public ::testing::Test {
 protected:
  DiskFaults() { platform_.directIoFake = &disk_; }
  base::Status run(int samples = 2) {
    return testing::runProbe("disk",
                             {{"path", "\"/fake\""},
                              {"file_bytes", "4194304"},
                              {"samples", std::to_string(samples)},
                              {"min_duration_ns", "100000000"},
                              {"sample_timeout_ns", "10000000000"}},
                             platform_, clock_, sink_);
  }
  std::vector<model::Verdict> verdicts(const std::string& metric) const {
    std::vector<model::Verdict> out;
    for (const auto& sample : sink_.of(metric)) out.push_back(sample.verdict);
    return out;
  }
  SteppedClock clock_;
  LyingDisk disk_{clock_};
  MixedPlatform platform_;
  KeepingSink sink_;
};

// 100 us an access: 1 MiB / 100 us = 10,485,760,000 B/s, 4 KiB at 10,000 a second. The flush takes
// 100 us more: writes of 100 ms and one flush are 1000 accesses in 100.1 ms.
TEST_F(DiskFaults, RatesFollowFromTheClockWithTheFlushInside) {
  ASSERT_TRUE(run(1).has_value());
  ASSERT_EQ(sink_.samples.size(), 4U);
  EXPECT_DOUBLE_EQ(*sink_.of("disk_read_rate")[0].value, 1048576e4);
  EXPECT_DOUBLE_EQ(*sink_.of("disk_random_read_rate")[0].value, 1e4);
  EXPECT_DOUBLE_EQ(*sink_.of("disk_random_write_rate")[0].value, 1000 / 0.1001);
  EXPECT_DOUBLE_EQ(*sink_.of("disk_write_rate")[0].value, 1048576.0 * 1000 / 0.1001);
  for (const auto& sample : sink_.samples) {
    EXPECT_EQ(sample.verdict, model::Verdict::kOk) << sample.contextJson;
  }
}

// axboe/fio#831: 2,576 MiB/s were shown where 731 was true, for the sync came after the clock.
TEST_F(DiskFaults, SlowFlushCountsAgainstTheWrite) {
  disk_.latency = [](const LyingDisk::Access& access) -> base::Nanos {
    return access.action == Action::kFlush ? 900ms : 100us;
  };
  ASSERT_TRUE(run(1).has_value());
  EXPECT_DOUBLE_EQ(*sink_.of("disk_write_rate")[0].value, 1048576.0 * 1000);
  EXPECT_EQ(nlohmann::json::parse(sink_.of("disk_write_rate")[0].contextJson)["flush_ns"],
            900'000'000);
}

// axboe/fio#1422: work before the window was counted in it.
TEST_F(DiskFaults, PreparationStaysOutsideTheWindow) {
  int prepared = 0;
  disk_.latency = [&](const LyingDisk::Access& access) -> base::Nanos {
    bool preparing = access.action == Action::kWrite && prepared < 4;
    prepared += preparing ? 1 : 0;
    return preparing ? 1h : 100us;
  };
  ASSERT_TRUE(run(1).has_value());
  EXPECT_DOUBLE_EQ(*sink_.of("disk_read_rate")[0].value, 1048576e4);
}

TEST_F(DiskFaults, ReadsFromTheCacheAreUnverified) {
  disk_.countedShare = 0.5;
  ASSERT_TRUE(run(1).has_value());
  for (const auto& sample : sink_.samples) {
    EXPECT_EQ(sample.verdict, model::Verdict::kUnverified);
    EXPECT_THAT(sample.reasons, Contains(HasSubstr("50.0 %")));
    EXPECT_TRUE(sample.value.has_value()) << "stays visible";
  }
}

TEST_F(DiskFaults, PagesLeftInTheCacheAreUnverified) {
  disk_.resident = 0.4;
  ASSERT_TRUE(run(1).has_value());
  EXPECT_THAT(verdicts("disk_read_rate"), ElementsAre(model::Verdict::kUnverified));
}

TEST_F(DiskFaults, AnswersInLessThanAMicrosecondAreUnverified) {
  disk_.latency = [](const LyingDisk::Access& access) -> base::Nanos {
    return access.action == Action::kRead && access.size == 4096 ? 500ns : 100us;
  };
  ASSERT_TRUE(run(1).has_value());
  EXPECT_THAT(verdicts("disk_random_read_rate"), ElementsAre(model::Verdict::kUnverified));
  EXPECT_THAT(verdicts("disk_read_rate"), ElementsAre(model::Verdict::kOk));
}

TEST_F(DiskFaults, WithoutCountersNothingIsProven) {
  disk_.countsIo = false;
  ASSERT_TRUE(run(1).has_value());
  EXPECT_THAT(verdicts("disk_write_rate"), ElementsAre(model::Verdict::kUnverified));
}

TEST_F(DiskFaults, LostSequentialWriteIsFoundByReadingBack) {
  disk_.loses = [](const LyingDisk::Access& access) {
    return access.size == kChunk && access.number > 4 && access.at == 2 * kChunk;
  };
  ASSERT_TRUE(run(1).has_value());
  auto sample = sink_.of("disk_write_rate").at(0);
  EXPECT_EQ(sample.verdict, model::Verdict::kUnverified);
  EXPECT_THAT(sample.reasons, Contains(HasSubstr("256 of 1024 blocks don't hold what was written, "
                                                 "the first is number 512")));
}

TEST_F(DiskFaults, LostRandomWriteIsFoundByReadingBack) {
  disk_.loses = [](const LyingDisk::Access& access) {
    return access.size == 4096 && access.at % (64 * 4096) == 0;  // 16 of the 1,024
  };
  ASSERT_TRUE(run(1).has_value());
  EXPECT_THAT(verdicts("disk_write_rate"), ElementsAre(model::Verdict::kOk));
  auto sample = sink_.of("disk_random_write_rate").at(0);
  EXPECT_EQ(sample.verdict, model::Verdict::kUnverified);
}

TEST_F(DiskFaults, FileThatWasNeverWrittenIsFoundInTheReadWindow) {
  disk_.loses = [](const LyingDisk::Access&) { return true; };
  ASSERT_TRUE(run(1).has_value());
  auto sample = sink_.of("disk_read_rate").at(0);
  EXPECT_EQ(sample.verdict, model::Verdict::kUnverified);
  EXPECT_THAT(sample.reasons, Contains(HasSubstr("1000 of 1000 reads")));
}

TEST_F(DiskFaults, LateSampleIsTimedOutAndTheOthersStillRun) {
  bool slow = true;
  disk_.latency = [&](const LyingDisk::Access& access) -> base::Nanos {
    // The first read of all is the first sequential sample.
    if (access.action == Action::kRead && std::exchange(slow, false)) return 11s;
    return 100us;
  };
  ASSERT_TRUE(run(2).has_value());
  EXPECT_EQ(sink_.samples.size(), 8U);
  EXPECT_THAT(verdicts("disk_read_rate"),
              ElementsAre(model::Verdict::kTimedOut, model::Verdict::kOk));
  EXPECT_FALSE(sink_.of("disk_read_rate")[0].value.has_value());
  EXPECT_THAT(verdicts("disk_random_write_rate"), Each(model::Verdict::kOk));
}

TEST_F(DiskFaults, FlushOverTheLimitIsTimedOutToo) {
  disk_.latency = [](const LyingDisk::Access& access) -> base::Nanos {
    return access.action == Action::kFlush ? 20s : 100us;
  };
  ASSERT_TRUE(run(1).has_value());
  EXPECT_THAT(verdicts("disk_write_rate"), ElementsAre(model::Verdict::kTimedOut));
  EXPECT_THAT(verdicts("disk_random_read_rate"), ElementsAre(model::Verdict::kOk));
}

TEST_F(DiskFaults, ReadErrorIsUnavailableWithTheSystemsWords) {
  disk_.fails = [](const LyingDisk::Access& access) -> std::optional<base::Error> {
    if (access.action != Action::kRead || access.size != 4096) return std::nullopt;
    return base::unavailable("Input/output error");
  };
  auto status = run(1);
  ASSERT_FALSE(status.has_value());
  auto sample = sink_.of("disk_random_read_rate").at(0);
  EXPECT_EQ(sample.verdict, model::Verdict::kUnavailable);
  EXPECT_THAT(sample.reasons, ElementsAre(HasSubstr("Input/output error")));
  EXPECT_FALSE(sample.value.has_value());
  EXPECT_EQ(sink_.of("disk_write_rate").size(), 1U) << "what came before stands";
  EXPECT_EQ(disk_.openFiles, 0) << "the file is given back";
}

TEST_F(DiskFaults, NoSpaceInTheMiddleOfPreparationEndsTheProbeWithoutSamples) {
  disk_.fails = [](const LyingDisk::Access& access) -> std::optional<base::Error> {
    if (access.action != Action::kWrite || access.number < 3) return std::nullopt;
    return base::unavailable("No space left on device");
  };
  auto status = run(1);
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr("No space left"));
  EXPECT_TRUE(sink_.samples.empty());
  EXPECT_EQ(disk_.openFiles, 0);
}

TEST_F(DiskFaults, RandomPassVisitsEveryBlockOnceInARecordedOrder) {
  std::map<std::int64_t, int> visits;
  std::vector<std::int64_t> order;
  disk_.latency = [&](const LyingDisk::Access& access) -> base::Nanos {
    if (access.action == Action::kRead && access.size == 4096) {
      ++visits[access.at];
      order.push_back(access.at);
    }
    return access.size == 4096 ? 97'657ns : 100us;  // 1,024 accesses are just over 100 ms
  };
  ASSERT_TRUE(run(1).has_value());
  ASSERT_EQ(visits.size(), 1024U);
  for (const auto& [at, count] : visits) EXPECT_EQ(count, 1) << at;
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  auto about = nlohmann::json::parse(sink_.of("disk_random_read_rate")[0].contextJson);
  std::vector<std::uint32_t> expected(1024);
  for (std::uint32_t i = 0; i < 1024; ++i) expected[i] = i;
  base::SeededRandom(about["seed"].get<std::uint64_t>()).shuffle(expected);
  EXPECT_EQ(order.front(), expected.front() * 4096LL) << "the seed replays it";
  EXPECT_EQ(order.back(), expected.back() * 4096LL);
}

TEST_F(DiskFaults, CoarseAlignmentIsRefusedBeforeAnythingIsWritten) {
  disk_.alignment = DirectAlignment{512, 16384};
  EXPECT_EQ(run(1).error().code, base::ErrorCode::kUnsupported);
  disk_.alignment = DirectAlignment{0, 0};
  EXPECT_EQ(run(1).error().code, base::ErrorCode::kUnsupported);
}

TEST_F(DiskFaults, RefusalsSayWhereAndWhatToDoAndCreateNothing) {
  disk_.facts.memoryBacked = true;
  disk_.facts.type = "tmpfs";
  auto memory = run(1);
  EXPECT_EQ(memory.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(memory.error().message, HasSubstr("'/fake' (tmpfs at /)"));
  EXPECT_THAT(memory.error().message, HasSubstr("/var/tmp"));
  disk_.facts = {"ext4", "/", "ro", "/dev/fake", false, true};
  EXPECT_EQ(run(1).error().code, base::ErrorCode::kDenied);
  disk_.facts.readOnly = false;
  disk_.free = base::Bytes{4 << 20};  // the file alone would fit
  auto space = run(1);
  EXPECT_EQ(space.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(space.error().message, HasSubstr("4 MiB free"));
  EXPECT_EQ(disk_.created, 0);
}

}  // namespace
}  // namespace fleetmark::agent::probes
