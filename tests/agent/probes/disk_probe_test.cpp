// The disk probe on real file systems.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/platform/files.h"
#include "common/platform/process.h"
#include "tests/agent/platform/mounts.h"
#include "tests/agent/probes/fakes.h"

namespace fleetmark::agent::probes {
namespace {

using agent::testing::TestMount;
using ::testing::HasSubstr;
using testing::KeepingSink;
using testing::runProbe;

std::map<std::string, std::string> small(const std::string& path) {
  return {{"path", nlohmann::json(path).dump()},
          {"file_bytes", "16777216"},
          {"samples", "2"},
          {"min_duration_ns", "20000000"},
          {"sample_timeout_ns", "60000000000"}};
}

class DiskProbeReal : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = "/var/tmp/fm-disk-XXXXXX";
    ASSERT_NE(::mkdtemp(path.data()), nullptr);
    folder_ = path;
    auto facts = platform_->directIo().fileSystem(folder_);
    if (!facts.has_value() || facts->memoryBacked) GTEST_SKIP() << "/var/tmp is no disk here";
    auto file = platform_->directIo().create(folder_, base::Bytes{base::kMiB});
    if (!file.has_value()) GTEST_SKIP() << file.error().message;
  }
  void TearDown() override { EXPECT_TRUE(platform::removeTree(folder_).has_value()); }
  base::Status run(const std::string& path) {
    base::SystemClock clock;
    return runProbe("disk", small(path), *platform_, clock, sink_);
  }
  bool folderIsEmpty() const { return std::filesystem::is_empty(folder_); }

  std::unique_ptr<Platform> platform_ = makePlatform();
  KeepingSink sink_;
  std::string folder_;
};

TEST_F(DiskProbeReal, MeasuresFourOperationsWithProofOfBypass) {
  auto status = run(folder_);
  ASSERT_TRUE(status.has_value()) << status.error().message;
  ASSERT_EQ(sink_.samples.size(), 8U);
  for (const auto& sample : sink_.samples) {
    auto about = nlohmann::json::parse(sample.contextJson);
    SCOPED_TRACE(sample.contextJson);
    EXPECT_LT(sample.contextJson.size(), 32'768U);
    if (!about["proof"].contains("block_layer_share")) continue;  // the kernel doesn't count
    EXPECT_EQ(sample.verdict, model::Verdict::kOk)
        << (sample.reasons.empty() ? "" : sample.reasons[0]);
    EXPECT_GT(*sample.value, 0);
    EXPECT_GE(about["proof"]["block_layer_share"].get<double>(), 0.99);
    EXPECT_LE(about["proof"]["resident_share"].get<double>(), 0.01);
    EXPECT_GE(about["window_ns"].get<std::int64_t>(), 20'000'000);
    EXPECT_GE(about["latency"]["min_ns"].get<std::int64_t>(), 1000);
    EXPECT_EQ(about["latency"]["n"], about["operations"]);
    if (about["operation_bytes"] == 1048576) {
      EXPECT_GE(about["operations"].get<int>(), 16) << "the whole file at least once";
    }
    if (about.contains("verified_blocks")) {
      EXPECT_EQ(about["verified_blocks"], 4096);
      EXPECT_EQ(about["wrong_blocks"], 0);
    }
  }
  EXPECT_TRUE(folderIsEmpty());
}

TEST_F(DiskProbeReal, KilledRunLeavesNothingBehind) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  pid_t pid = ::fork();
  if (pid == 0) {
    auto values = small(folder_);
    values["min_duration_ns"] = "3000000000";
    base::SystemClock clock;
    sink_.onProgress = [&](const std::string& text) {
      if (text.rfind("seq-write", 0) == 0) static_cast<void>(!::write(ends[1], "x", 1));
    };
    static_cast<void>(runProbe("disk", values, *platform_, clock, sink_));
    ::_exit(0);
  }
  ::close(ends[1]);
  char letter = 0;
  EXPECT_EQ(::read(ends[0], &letter, 1), 1);
  ::kill(pid, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(folderIsEmpty());
  ::close(ends[0]);
}

TEST_F(DiskProbeReal, SigtermEndsItWithAnIncompleteSampleAndNoFile) {
  pid_t pid = ::fork();
  if (pid == 0) {
    platform::StopSignal::install();
    auto values = small(folder_);
    base::SystemClock clock;
    sink_.onProgress = [&](const std::string& text) {
      if (text.rfind("rand-read", 0) == 0) ::kill(::getpid(), SIGTERM);
    };
    auto ended = runProbe("disk", values, *platform_, clock, sink_);
    bool right = !ended.has_value() && sink_.samples.size() == 3 &&
                 sink_.samples.back().verdict == model::Verdict::kIncomplete &&
                 !sink_.samples.back().value.has_value();
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(folderIsEmpty());
}

TEST_F(DiskProbeReal, LeftoverOfAKilledRunIsRemovedAndReported) {
  std::string left = folder_ + "/.fleetmark-disk-0123456789abcdef.tmp";
  ASSERT_TRUE(platform::writePrivateFile(left, "old").has_value());
  ASSERT_TRUE(run(folder_).has_value());
  EXPECT_FALSE(platform::exists(left));
  ASSERT_EQ(sink_.notices.size(), 1U);
  EXPECT_EQ(sink_.notices[0].stage, "disk/cleanup");
  EXPECT_THAT(sink_.notices[0].message, HasSubstr(left));
}

TEST_F(DiskProbeReal, MissingFolderIsNotFound) {
  auto status = run(folder_ + "/none");
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kNotFound);
  EXPECT_THAT(status.error().message, HasSubstr("create it"));
}

TEST_F(DiskProbeReal, TmpfsIsRefused) {
  auto mount = TestMount::tmpfs(base::Bytes{64 * base::kMiB});
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto status = run(mount->path());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(status.error().message, HasSubstr("tmpfs"));
  EXPECT_TRUE(sink_.samples.empty());
}

TEST_F(DiskProbeReal, ReadOnlyPathIsRefused) {
  auto mount = TestMount::readOnlyView(folder_);
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto status = run(mount->path());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kDenied);
  EXPECT_THAT(status.error().message, HasSubstr("read-only"));
}

TEST_F(DiskProbeReal, FullDiskIsRefusedWithFigures) {
  auto mount = TestMount::ext4Image(folder_, base::Bytes{12 * base::kMiB});
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto status = run(mount->path());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr("17.25 MiB"));  // 16 + 16/64 + 1
  EXPECT_THAT(status.error().message, HasSubstr("ext4"));
}

TEST_F(DiskProbeReal, OverlayIsMeasuredOrRefusedButNeverTrustedBlindly) {
  auto mount = TestMount::overlayOn(folder_);
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto status = run(mount->path());
  if (!status.has_value()) {
    EXPECT_EQ(status.error().code, base::ErrorCode::kUnsupported) << status.error().message;
    return;
  }
  for (const auto& sample : sink_.samples) {
    auto proof = nlohmann::json::parse(sample.contextJson)["proof"];
    EXPECT_EQ(proof["file_system"], "overlay");
    if (sample.verdict == model::Verdict::kOk) {
      EXPECT_GE(proof["block_layer_share"].get<double>(), 0.99);
    }
  }
}

}  // namespace
}  // namespace fleetmark::agent::probes
