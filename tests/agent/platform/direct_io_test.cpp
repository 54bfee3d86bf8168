#include "agent/platform/direct_io.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <filesystem>

#include "agent/platform/aligned_buffer.h"
#include "agent/platform/platform.h"
#include "common/platform/files.h"
#include "tests/agent/platform/mounts.h"

namespace fleetmark::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestMount;

constexpr base::Bytes kSize{8 * base::kMiB};

class DirectIoOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = "/var/tmp/fm-direct-XXXXXX";
    ASSERT_NE(::mkdtemp(path.data()), nullptr);
    folder_ = path;
    auto facts = io().fileSystem(folder_);
    ASSERT_TRUE(facts.has_value()) << facts.error().message;
    if (facts->memoryBacked) GTEST_SKIP() << "/var/tmp is a " << facts->type << " here";
    auto file = io().create(folder_, kSize);
    if (!file.has_value()) GTEST_SKIP() << file.error().message;
    file_ = std::move(file).value();
  }
  void TearDown() override { EXPECT_TRUE(platform::removeTree(folder_).has_value()); }
  DirectIo& io() { return platform_->directIo(); }
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }

  std::unique_ptr<Platform> platform_ = makePlatform();
  std::string folder_;
  std::unique_ptr<DirectFile> file_;
};

TEST_F(DirectIoOnDisk, FileHasNoNameWhileItIsUsed) { EXPECT_EQ(entries(), 0U); }

TEST_F(DirectIoOnDisk, BytesComeBackAndTheBlockLayerCountsThem) {
  AlignedBuffer out(base::kMiB);
  AlignedBuffer in(base::kMiB);
  for (std::size_t i = 0; i < out.size(); ++i) out.bytes()[i] = static_cast<std::uint8_t>(i * 7);
  auto before = io().counters();
  if (!before.has_value()) GTEST_SKIP() << before.error().message;
  ASSERT_EQ(*file_->write(out.bytes(), base::kMiB), out.size());
  ASSERT_TRUE(file_->flush().has_value());
  auto between = io().counters();
  ASSERT_EQ(*file_->read(in.bytes(), base::kMiB), in.size());
  auto after = io().counters();
  EXPECT_TRUE(std::equal(in.bytes().begin(), in.bytes().end(), out.bytes().begin()));
  EXPECT_GE(between->written.count - before->written.count, base::kMiB);
  EXPECT_GE(after->read.count - between->read.count, base::kMiB);
  EXPECT_LE(*file_->residency(), 0.01);
}

TEST_F(DirectIoOnDisk, UnalignedAccessIsRefusedNotCached) {
  AlignedBuffer buffer(8192);
  auto inMemory = file_->read(buffer.bytes().subspan(1, 4096), 0);
  auto inFile = file_->write(buffer.bytes().first(4096), 512);
  auto inSize = file_->write(buffer.bytes().first(4095), 0);
  for (const auto* refused : {&inMemory, &inFile, &inSize}) {
    ASSERT_FALSE(refused->has_value());
    EXPECT_EQ(refused->error().code, base::ErrorCode::kInvalid);
  }
}

TEST_F(DirectIoOnDisk, FileSystemIsNamedAsStatfsSeesIt) {
  struct statfs about {};
  ASSERT_EQ(::statfs(folder_.c_str(), &about), 0);
  auto facts = io().fileSystem(folder_);
  if (facts->type == "ext4") {
    EXPECT_EQ(about.f_type, 0xEF53);
  }
  EXPECT_FALSE(facts->options.empty());
  EXPECT_FALSE(facts->readOnly);
}

TEST_F(DirectIoOnDisk, LeftoverOfAKilledProcessGoesAndALockedOneStays) {
  auto make = [&](const std::string& name) {
    std::string path = folder_ + "/" + name;
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  };
  int stale = make(".fleetmark-disk-0011223344556677.tmp");
  int living = make(".fleetmark-disk-8899aabbccddeeff.tmp");
  int other = make("somebody-elses-file");
  ASSERT_EQ(::flock(living, LOCK_EX | LOCK_NB), 0);
  ASSERT_EQ(::symlink("/etc/passwd", (folder_ + "/.fleetmark-disk-link.tmp").c_str()), 0);
  auto removed = io().removeStale(folder_);
  ASSERT_TRUE(removed.has_value());
  EXPECT_THAT(*removed, ElementsAre(folder_ + "/.fleetmark-disk-0011223344556677.tmp"));
  EXPECT_EQ(entries(), 3U);
  EXPECT_TRUE(platform::exists("/etc/passwd"));
  for (int fd : {stale, living, other}) ::close(fd);
}

TEST_F(DirectIoOnDisk, MissingFolderAndFileInItsPlaceAreToldApart) {
  EXPECT_EQ(io().fileSystem(folder_ + "/none").error().code, base::ErrorCode::kNotFound);
  ASSERT_TRUE(platform::writePrivateFile(folder_ + "/file", "x").has_value());
  EXPECT_EQ(io().fileSystem(folder_ + "/file").error().code, base::ErrorCode::kInvalid);
}

TEST(DirectIoMounts, TmpfsIsMemory) {
  auto mount = TestMount::tmpfs(kSize);
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto facts = makePlatform()->directIo().fileSystem(mount->path());
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->type, "tmpfs");
  EXPECT_TRUE(facts->memoryBacked);
}

TEST(DirectIoMounts, ReadOnlyViewIsSeenAndCreateIsDenied) {
  auto mount = TestMount::readOnlyView("/var/tmp");
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto platform = makePlatform();
  auto& io = *platform;
  EXPECT_TRUE(io.directIo().fileSystem(mount->path())->readOnly);
  auto file = io.directIo().create(mount->path(), kSize);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, base::ErrorCode::kDenied);
}

TEST(DirectIoMounts, FullFileSystemIsUnavailableAndSaysWhatToDo) {
  auto mount = TestMount::ext4Image("/var/tmp", base::Bytes{16 * base::kMiB});
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto platform = makePlatform();
  auto file = platform->directIo().create(mount->path(), base::Bytes{64 * base::kMiB});
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(file.error().message, HasSubstr("64 MiB"));
  EXPECT_THAT(file.error().message, HasSubstr("free some space"));
  EXPECT_GT(platform->directIo().freeSpace(mount->path())->count, base::kMiB)
      << "the refused file holds no space";
}

TEST(DirectIoMounts, OverlayIsNamedAndWorksWhereItsUpperLayerDoes) {
  auto mount = TestMount::overlayOn("/var/tmp");
  if (!mount.has_value()) GTEST_SKIP() << mount.error().message;
  auto platform = makePlatform();
  EXPECT_EQ(platform->directIo().fileSystem(mount->path())->type, "overlay");
  auto file = platform->directIo().create(mount->path(), kSize);
  if (!file.has_value()) {
    EXPECT_EQ(file.error().code, base::ErrorCode::kUnsupported) << file.error().message;
    return;
  }
  AlignedBuffer buffer(base::kMiB);
  EXPECT_EQ(*(*file)->write(buffer.bytes(), 0), buffer.size());
}

}  // namespace
}  // namespace fleetmark::agent
