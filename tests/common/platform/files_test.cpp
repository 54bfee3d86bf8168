#include "common/platform/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/platform/process.h"

namespace fleetmark::platform {
namespace {

using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = makeTemporaryFolder("fm-files-");
    ASSERT_TRUE(made.has_value());
    folder_ = *made;
  }
  void TearDown() override { EXPECT_TRUE(removeTree(folder_).has_value()); }
  static mode_t modeOf(const std::string& path) {
    struct stat about {};
    EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
    return about.st_mode & 07777;
  }
  std::string folder_;
};

TEST_F(Files, TemporaryFolderIsPrivateAndShort) {
  EXPECT_EQ(modeOf(folder_), 0700U);
  EXPECT_LT(folder_.size(), 60U);
}

TEST_F(Files, PrivateFolderIsMadeWithItsParents) {
  ASSERT_TRUE(makePrivateFolder(folder_ + "/a/b/c/").has_value());
  EXPECT_EQ(modeOf(folder_ + "/a"), 0700U);
  EXPECT_EQ(modeOf(folder_ + "/a/b/c"), 0700U);
  EXPECT_TRUE(makePrivateFolder(folder_ + "/a/b/c").has_value()) << "again is fine";
}

TEST_F(Files, OpenFolderIsMadePrivate) {
  std::string path = folder_ + "/open";
  ASSERT_EQ(::mkdir(path.c_str(), 0755), 0);
  ASSERT_TRUE(makePrivateFolder(path).has_value());
  EXPECT_EQ(modeOf(path), 0700U);
}

TEST_F(Files, FolderOfAnotherUserIsRefused) {
  if (!runningAsRoot()) GTEST_SKIP() << "needs root to give a folder away";
  std::string path = folder_ + "/theirs";
  ASSERT_TRUE(makePrivateFolder(path).has_value());
  ASSERT_TRUE(changeOwner(path, "nobody").has_value());
  auto status = makePrivateFolder(path);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kDenied);
  EXPECT_THAT(status.error().message, HasSubstr(path));
}

TEST_F(Files, FileInTheWayOfAFolderIsAnError) {
  ASSERT_TRUE(writePrivateFile(folder_ + "/file", "").has_value());
  EXPECT_FALSE(makePrivateFolder(folder_ + "/file").has_value());
  EXPECT_FALSE(makePrivateFolder(folder_ + "/file/below").has_value());
}

TEST_F(Files, WrittenFilesHaveTheirModeWhateverTheUmask) {
  mode_t before = ::umask(0077);
  ASSERT_TRUE(writePrivateFile(folder_ + "/private", "secret").has_value());
  ASSERT_TRUE(writePublicFile(folder_ + "/public", "open").has_value());
  ::umask(before);
  EXPECT_EQ(modeOf(folder_ + "/private"), 0600U);
  EXPECT_EQ(modeOf(folder_ + "/public"), 0644U);
}

TEST_F(Files, WritingReplacesWholeAndLeavesNothingBeside) {
  ASSERT_TRUE(writePrivateFile(folder_ + "/f", "long content").has_value());
  ASSERT_TRUE(writePrivateFile(folder_ + "/f", "short").has_value());
  EXPECT_EQ(*readFile(folder_ + "/f", 100), "short");
  std::filesystem::directory_iterator items(folder_);
  EXPECT_EQ(std::distance(begin(items), end(items)), 1);
}

TEST_F(Files, FailedWriteLeavesTheOldContentAndNothingBeside) {
  ASSERT_EQ(::mkdir((folder_ + "/taken").c_str(), 0700), 0);
  EXPECT_FALSE(writePrivateFile(folder_ + "/taken", "x").has_value());  // can't replace a folder
  std::filesystem::directory_iterator items(folder_);
  EXPECT_EQ(std::distance(begin(items), end(items)), 1);
}

TEST_F(Files, ReadHoldsItsLimit) {
  ASSERT_TRUE(writePrivateFile(folder_ + "/f", "12345").has_value());
  EXPECT_EQ(*readFile(folder_ + "/f", 5), "12345");
  auto over = readFile(folder_ + "/f", 4);
  ASSERT_FALSE(over.has_value());
  EXPECT_EQ(over.error().code, base::ErrorCode::kInvalid);
  EXPECT_EQ(readFile(folder_ + "/none", 4).error().code, base::ErrorCode::kNotFound);
}

TEST_F(Files, UnreadableFileIsDenied) {
  if (runningAsRoot()) GTEST_SKIP() << "root reads everything";
  ASSERT_TRUE(writePrivateFile(folder_ + "/f", "x").has_value());
  ::chmod((folder_ + "/f").c_str(), 0);
  EXPECT_EQ(readFile(folder_ + "/f", 4).error().code, base::ErrorCode::kDenied);
}

TEST_F(Files, RemoveTreeDoesNotFollowLinks) {
  ASSERT_TRUE(makePrivateFolder(folder_ + "/kept").has_value());
  ASSERT_TRUE(writePrivateFile(folder_ + "/kept/f", "x").has_value());
  ASSERT_TRUE(makePrivateFolder(folder_ + "/gone").has_value());
  ASSERT_EQ(::symlink((folder_ + "/kept").c_str(), (folder_ + "/gone/link").c_str()), 0);
  ASSERT_TRUE(removeTree(folder_ + "/gone").has_value());
  EXPECT_FALSE(exists(folder_ + "/gone"));
  EXPECT_TRUE(exists(folder_ + "/kept/f"));
  EXPECT_TRUE(removeTree(folder_ + "/gone").has_value()) << "nothing there is fine";
}

TEST_F(Files, OwnerChangesThroughTheTree) {
  if (!runningAsRoot()) GTEST_SKIP() << "needs root to give files away";
  ASSERT_TRUE(makePrivateFolder(folder_ + "/t/u").has_value());
  ASSERT_TRUE(writePrivateFile(folder_ + "/t/u/f", "x").has_value());
  ASSERT_TRUE(changeOwner(folder_ + "/t", "nobody").has_value());
  for (const char* item : {"/t", "/t/u", "/t/u/f"}) {
    struct stat about {};
    ASSERT_EQ(::stat((folder_ + item).c_str(), &about), 0);
    EXPECT_NE(about.st_uid, 0U) << item;
  }
  EXPECT_EQ(changeOwner(folder_, "no-such-user-here").error().code, base::ErrorCode::kNotFound);
}

TEST_F(Files, FreeSpaceIsWhatAnUnprivilegedUserMayTake) {
  struct statvfs about {};
  auto free = freeBytes("/proc");  // a file system whose figure does not move
  ASSERT_TRUE(free.has_value());
  ASSERT_EQ(::statvfs("/proc", &about), 0);
  EXPECT_EQ(*free, static_cast<std::int64_t>(about.f_bavail * about.f_frsize));
  EXPECT_GT(*freeBytes(folder_), 0);
  EXPECT_EQ(freeBytes(folder_ + "/none").error().code, base::ErrorCode::kNotFound);
}

TEST_F(Files, SecondLockNamesTheHolder) {
  auto first = lockFile(folder_ + "/lock");
  ASSERT_TRUE(first.has_value());
  auto second = lockFile(folder_ + "/lock");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, base::ErrorCode::kConflict);
  EXPECT_THAT(second.error().message, HasSubstr("process " + std::to_string(::getpid())));
  first->reset();
  EXPECT_TRUE(lockFile(folder_ + "/lock").has_value()) << "free again";
}

TEST_F(Files, LockOfAKilledProcessIsFree) {
  pid_t pid = ::fork();
  if (pid == 0) {
    auto held = lockFile(folder_ + "/lock");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(lockFile(folder_ + "/lock").has_value());
}

}  // namespace
}  // namespace fleetmark::platform
