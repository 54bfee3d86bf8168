// The spool after a kill, after damage and on a full disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "agent/core/spool.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "tests/agent/core/work_values.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::agent::core {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::makeAssignment;
using testing::makeChunk;
using testing::makeCompletion;

std::vector<std::string> spoolFiles(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".spool") out.push_back(entry.path().string());
  }
  return out;
}

void overwrite(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

// One attempt with three chunks and a completion; returns its file.
std::string writeAttempt(const std::string& folder, const base::Clock& clock) {
  auto spool = Spool::open({folder, {256 * base::kMiB}, {0}}, clock);
  EXPECT_TRUE(spool);
  auto key = (*spool)->begin(makeAssignment());
  EXPECT_TRUE(key);
  for (std::uint32_t number = 0; number < 3; ++number) {
    EXPECT_TRUE((*spool)->append(*key, makeChunk(number)));
  }
  EXPECT_TRUE((*spool)->complete(*key, makeCompletion(3)));
  return spoolFiles(folder).at(0);
}

TEST(SpoolKill, LosesNoChunkThatWasSaidToBeOnTheDisk) {
  tests::TemporaryFolder folder;
  platform::SpawnOptions options;
  options.program = std::getenv("FLEETMARK_SPOOL_WRITER");
  options.arguments = {folder.path() + "/spool"};
  options.pipeStdout = true;
  auto writer = platform::spawn(options);
  ASSERT_TRUE(writer) << writer.error().message;
  std::string out;
  while (std::count(out.begin(), out.end(), '\n') < 20) {
    auto read = (*writer)->readStdout(4096, std::chrono::seconds(20));
    ASSERT_TRUE(read && !read->eof && !read->timedOut);
    out += read->bytes;
  }
  (*writer)->killTree();
  auto exit = (*writer)->wait(std::chrono::seconds(10));
  ASSERT_TRUE(exit && exit->signalled);
  for (bool more = true; more;) {
    auto read = (*writer)->readStdout(4096, std::chrono::seconds(1));
    ASSERT_TRUE(read);
    out += read->bytes;
    more = !read->eof;
  }
  auto said = static_cast<std::uint32_t>(std::count(out.begin(), out.end(), '\n'));

  tests::ManualClock clock;
  auto spool = Spool::open({folder.path() + "/spool", {256 * base::kMiB}, {0}}, clock);
  ASSERT_TRUE(spool) << spool.error().message;
  auto entries = (*spool)->entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_FALSE(entries[0].completed);
  EXPECT_GE(entries[0].chunks, said);
  for (std::uint32_t number = 0; number < entries[0].chunks; ++number) {
    EXPECT_EQ(*(*spool)->chunk(entries[0].key, number), makeChunk(number, 2000));
  }
}

TEST(SpoolTorn, CutsTheLastRecordAndGoesOnBehindIt) {
  tests::TemporaryFolder folder;
  tests::ManualClock clock;
  std::string path = writeAttempt(folder.path(), clock);
  fs::resize_file(path, fs::file_size(path) - 5);  // in the completion
  {
    auto spool = Spool::open({folder.path(), {256 * base::kMiB}, {0}}, clock);
    ASSERT_TRUE(spool);
    EXPECT_THAT((*spool)->notices(), ElementsAre(HasSubstr("was cut short")));
    auto entries = (*spool)->entries();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].chunks, 3u);
    EXPECT_FALSE(entries[0].completed);
    ASSERT_TRUE((*spool)->complete(entries[0].key, makeCompletion(3)));
  }
  auto spool = Spool::open({folder.path(), {256 * base::kMiB}, {0}}, clock);
  ASSERT_TRUE(spool);
  EXPECT_THAT((*spool)->notices(), ElementsAre());
  EXPECT_TRUE((*spool)->entries().at(0).completed);
}

TEST(SpoolTorn, ForgetsAFileThatHoldsNoAssignmentYet) {
  tests::TemporaryFolder folder;
  tests::ManualClock clock;
  std::string path = writeAttempt(folder.path(), clock);
  fs::resize_file(path, 10);
  auto spool = Spool::open({folder.path(), {256 * base::kMiB}, {0}}, clock);
  ASSERT_TRUE(spool);
  EXPECT_TRUE((*spool)->entries().empty());
  EXPECT_TRUE(spoolFiles(folder.path()).empty());
}

TEST(SpoolCorrupt, SetsTheFileAsideAndReportsTheAttemptWithWhatStoodBefore) {
  tests::TemporaryFolder folder;
  tests::ManualClock clock;
  std::string path = writeAttempt(folder.path(), clock);
  auto bytes = *platform::readFile(path, 1 << 20);
  auto scan = scanSpool(bytes);
  overwrite(path, scan.records.at(2).payloadOffset + 3, '\x7e');  // in chunk 1
  clock.advance(std::chrono::seconds(1));
  auto spool = Spool::open({folder.path(), {256 * base::kMiB}, {0}}, clock);
  ASSERT_TRUE(spool) << spool.error().message;
  EXPECT_THAT((*spool)->notices(), ElementsAre(HasSubstr("is damaged at byte")));
  EXPECT_EQ(spoolFiles(folder.path() + "/set-aside").size(), 1u);
  auto entries = (*spool)->entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].chunks, 1u);
  EXPECT_EQ(entries[0].assignment.lease, makeAssignment().lease);
  EXPECT_EQ(*(*spool)->chunk(entries[0].key, 0), makeChunk(0));
  auto completion = (*spool)->completion(entries[0].key);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->outcome, model::Outcome::kInfrastructure);
  EXPECT_EQ(completion->chunkCount, 1u);
  ASSERT_EQ(completion->notices.size(), 1u);
  EXPECT_EQ(completion->notices[0].stage, "agent/spool");
}

TEST(SpoolCorrupt, KeepsAFileThatNamesNoAttempt) {
  tests::TemporaryFolder folder;
  tests::ManualClock clock;
  std::string path = writeAttempt(folder.path(), clock);
  overwrite(path, 40, '\x7e');  // in the assignment
  auto spool = Spool::open({folder.path(), {256 * base::kMiB}, {0}}, clock);
  ASSERT_TRUE(spool);
  EXPECT_THAT((*spool)->notices(), ElementsAre(HasSubstr("which attempt it held can't be told")));
  EXPECT_TRUE((*spool)->entries().empty());
  EXPECT_EQ(spoolFiles(folder.path() + "/set-aside").size(), 1u);
}

TEST(SpoolCorrupt, DamageAfterTheStartIsSeenWhenItIsReadBack) {
  tests::TemporaryFolder folder;
  tests::ManualClock clock;
  auto spool = Spool::open({folder.path(), {256 * base::kMiB}, {0}}, clock);
  auto key = (*spool)->begin(makeAssignment());
  ASSERT_TRUE((*spool)->append(*key, makeChunk(0)));
  std::string path = spoolFiles(folder.path()).at(0);
  overwrite(path, fs::file_size(path) - 1, '\x7e');
  auto chunk = (*spool)->chunk(*key, 0);
  ASSERT_FALSE(chunk);
  EXPECT_EQ(chunk.error().code, base::ErrorCode::kInvalid);
  EXPECT_THAT(chunk.error().message, HasSubstr("checksum"));
}

class SmallDisk {
 public:
  explicit SmallDisk(const std::string& at) : at_(at) {
    mounted_ = ::mount("fmtest", at.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=256k") == 0;
    if (!mounted_) why_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  const std::string& why() const { return why_; }

 private:
  std::string at_;
  std::string why_;
  bool mounted_ = false;
};

TEST(SpoolFullDisk, KeepsWhatIsThereAndTheCompletionInMemory) {
  tests::TemporaryFolder folder;
  SmallDisk disk(folder.path());
  if (!disk.mounted()) GTEST_SKIP() << "no tmpfs can be mounted here: " << disk.why();
  tests::ManualClock clock;
  std::uint32_t chunks = 0;
  {
    auto spool = Spool::open({folder.path() + "/spool", {256 * base::kMiB}, {0}}, clock);
    ASSERT_TRUE(spool) << spool.error().message;
    auto key = (*spool)->begin(makeAssignment());
    ASSERT_TRUE(key);
    base::Status last;
    while ((last = (*spool)->append(*key, makeChunk(chunks, 20)))) ++chunks;
    EXPECT_EQ(last.error().code, base::ErrorCode::kOverloaded);
    EXPECT_THAT(last.error().message, HasSubstr("free some space"));
    EXPECT_GT(chunks, 10u);

    // Fill the rest of the last page.
    std::ofstream(folder.path() + "/filler") << std::string(256 * 1024, 'x');
    model::Completion completion = makeCompletion(chunks);
    completion.message = std::string(4000, 'm');
    auto kept = (*spool)->complete(*key, completion);
    EXPECT_FALSE(kept);
    EXPECT_EQ(*(*spool)->completion(*key), completion);
    for (std::uint32_t number = 0; number < chunks; ++number) {
      EXPECT_EQ(*(*spool)->chunk(*key, number), makeChunk(number, 20));
    }
    EXPECT_EQ((*spool)->begin(makeAssignment(43)).error().code, base::ErrorCode::kOverloaded);
  }
  // An end before it was reported: the chunks are still there.
  auto spool = Spool::open({folder.path() + "/spool", {256 * base::kMiB}, {0}}, clock);
  ASSERT_TRUE(spool) << spool.error().message;
  EXPECT_THAT((*spool)->notices(), ElementsAre());
  ASSERT_GE((*spool)->entries().size(), 1u);
  EXPECT_EQ((*spool)->entries()[0].chunks, chunks);
  ASSERT_TRUE((*spool)->complete((*spool)->entries()[0].key, makeCompletion(chunks)) ||
              (*spool)->completion((*spool)->entries()[0].key));
}

// Damage in an attempt's file must not keep an agent with a full disk from its other reports.
TEST(SpoolFullDisk, ADamagedFileStaysForTheNextStart) {
  tests::TemporaryFolder folder;
  SmallDisk disk(folder.path());
  if (!disk.mounted()) GTEST_SKIP() << "no tmpfs can be mounted here: " << disk.why();
  tests::ManualClock clock;
  const std::string spoolFolder = folder.path() + "/spool";
  std::string path = writeAttempt(spoolFolder, clock);
  auto bytes = *platform::readFile(path, 1 << 20);
  overwrite(path, scanSpool(bytes).records.at(2).payloadOffset + 3, '\x7e');
  clock.advance(std::chrono::seconds(1));
  std::ofstream(folder.path() + "/filler") << std::string(512 * 1024, 'x');
  {
    auto spool = Spool::open({spoolFolder, {256 * base::kMiB}, {0}}, clock);
    ASSERT_TRUE(spool) << spool.error().message;
    EXPECT_THAT((*spool)->notices(), ElementsAre(HasSubstr("it stays for the next start")));
    EXPECT_TRUE((*spool)->entries().empty());
    EXPECT_THAT(spoolFiles(spoolFolder), ElementsAre(path));
  }
  fs::remove(folder.path() + "/filler");
  auto spool = Spool::open({spoolFolder, {256 * base::kMiB}, {0}}, clock);
  ASSERT_TRUE(spool) << spool.error().message;
  ASSERT_EQ((*spool)->entries().size(), 1u);
  EXPECT_EQ((*spool)->entries()[0].chunks, 1u);
}

TEST(SpoolBound, ALoweredBoundStopsNewWorkAndNotTheReportOfOld) {
  tests::TemporaryFolder folder;
  tests::ManualClock clock;
  writeAttempt(folder.path(), clock);
  auto spool = Spool::open({folder.path(), {10}, {0}}, clock);
  ASSERT_TRUE(spool) << spool.error().message;
  ASSERT_EQ((*spool)->entries().size(), 1u);
  auto key = (*spool)->entries()[0].key;
  EXPECT_EQ(*(*spool)->chunk(key, 2), makeChunk(2));
  EXPECT_EQ((*spool)->admit().error().code, base::ErrorCode::kOverloaded);
  EXPECT_TRUE((*spool)->drop(key));
  EXPECT_TRUE((*spool)->admit());
}

}  // namespace
}  // namespace fleetmark::agent::core
