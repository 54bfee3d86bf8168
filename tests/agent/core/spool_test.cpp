#include "agent/core/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/platform/files.h"
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

class SpoolTest : public ::testing::Test {
 protected:
  std::unique_ptr<Spool> open(base::Bytes most = {256 * base::kMiB}) {
    auto spool = Spool::open({folder_.path() + "/spool", most, {0}}, clock_);
    EXPECT_TRUE(spool) << spool.error().message;
    return std::move(spool).value();
  }
  std::vector<fs::path> files(const std::string& under = "") {
    std::vector<fs::path> out;
    fs::path folder = folder_.path() + "/spool" + under;
    if (!fs::exists(folder)) return out;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".spool") out.push_back(entry.path());
    }
    return out;
  }

  tests::TemporaryFolder folder_;
  tests::ManualClock clock_;
};

TEST_F(SpoolTest, KeepsAnAttemptAcrossAnEnd) {
  {
    auto spool = open();
    auto key = spool->begin(makeAssignment());
    ASSERT_TRUE(key);
    ASSERT_TRUE(spool->append(*key, makeChunk(0)));
    ASSERT_TRUE(spool->append(*key, makeChunk(1)));
    ASSERT_TRUE(spool->complete(*key, makeCompletion(2)));
  }
  auto spool = open();
  EXPECT_THAT(spool->notices(), ElementsAre());
  auto entries = spool->entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].assignment.lease, makeAssignment().lease);
  EXPECT_EQ(entries[0].assignment.attempt.value, 42);
  EXPECT_EQ(entries[0].chunks, 2u);
  EXPECT_TRUE(entries[0].completed);
  EXPECT_TRUE(entries[0].recovered);
  EXPECT_EQ(*spool->chunk(entries[0].key, 1), makeChunk(1));
  EXPECT_EQ(*spool->completion(entries[0].key), makeCompletion(2));
  EXPECT_EQ(spool->chunk(entries[0].key, 2).error().code, base::ErrorCode::kNotFound);
}

TEST_F(SpoolTest, IsReadableByItsOwnerAlone) {
  auto spool = open();
  ASSERT_TRUE(spool->begin(makeAssignment()));
  EXPECT_EQ(fs::status(folder_.path() + "/spool").permissions(), fs::perms::owner_all);
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(fs::status(files()[0]).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SpoolTest, DropsOnlyWhatItIsTold) {
  auto spool = open();
  auto one = spool->begin(makeAssignment(1));
  auto two = spool->begin(makeAssignment(2));
  ASSERT_TRUE(one && two);
  ASSERT_TRUE(spool->drop(*one));
  ASSERT_TRUE(spool->drop(*one));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(spool->entries().size(), 1u);
  EXPECT_EQ(spool->append(*one, makeChunk(0)).error().code, base::ErrorCode::kNotFound);
}

TEST_F(SpoolTest, ReplaysInTheOrderOfBeginning) {
  {
    auto spool = open();
    for (int attempt : {9, 3, 7}) {
      clock_.advance(std::chrono::seconds(1));
      ASSERT_TRUE(spool->begin(makeAssignment(attempt)));
    }
  }
  std::vector<std::int64_t> order;
  for (const auto& entry : open()->entries()) order.push_back(entry.assignment.attempt.value);
  EXPECT_THAT(order, ElementsAre(9, 3, 7));
}

TEST_F(SpoolTest, RefusesNewWorkOverItsBoundAndTakesTheCompletionStill) {
  auto spool = open({40 * base::kKiB});
  auto key = spool->begin(makeAssignment());
  ASSERT_TRUE(key);
  std::uint32_t chunks = 0;
  base::Status last;
  for (; chunks < 1000; ++chunks) {
    last = spool->append(*key, makeChunk(chunks, 50));
    if (!last) break;
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, base::ErrorCode::kOverloaded);
  EXPECT_THAT(last.error().message, HasSubstr("at most 40 KiB"));
  EXPECT_GT(chunks, 1u);
  ASSERT_TRUE(spool->complete(*key, makeCompletion(chunks)));
  EXPECT_LE(fs::file_size(files()[0]), 41u * 1024);

  // Another attempt fits once the first is acknowledged.
  clock_.advance(std::chrono::seconds(1));
  std::string bytes(40 * 1024, 'x');
  EXPECT_EQ(*spool->chunk(*key, 0), makeChunk(0, 50));
  ASSERT_TRUE(spool->drop(*key));
  EXPECT_TRUE(spool->admit());
  EXPECT_TRUE(spool->begin(makeAssignment()));
}

TEST_F(SpoolTest, RefusesNewWorkWhenTheDiskIsNearlyFull) {
  auto spool =
      Spool::open({folder_.path() + "/spool", {256 * base::kMiB}, {std::int64_t{1} << 60}}, clock_);
  ASSERT_TRUE(spool);
  auto refused = (*spool)->begin(makeAssignment());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::kOverloaded);
  EXPECT_THAT(refused.error().message, HasSubstr("free some space"));
  EXPECT_TRUE(files().empty());
}

TEST_F(SpoolTest, SetsAsideWithTheReasonAndCountsItStill) {
  auto spool = open({4 * base::kKiB});
  auto key = spool->begin(makeAssignment());
  ASSERT_TRUE(spool->append(*key, makeChunk(0, 20)));
  ASSERT_TRUE(spool->setAside(*key, "the coordinator says: no"));
  EXPECT_TRUE(spool->entries().empty());
  ASSERT_EQ(files("/set-aside").size(), 1u);
  EXPECT_EQ(*platform::readFile(files("/set-aside")[0].string() + ".reason", 1000),
            "the coordinator says: no\n");
  auto again = open({base::kKiB});
  EXPECT_THAT(again->notices(), ElementsAre(HasSubstr("1 spool file(s) set aside")));
  EXPECT_THAT(again->admit().error().message, HasSubstr("set-aside/"));
}

TEST_F(SpoolTest, WakesWhoWaits) {
  auto spool = open();
  auto seen = spool->version();
  ASSERT_TRUE(spool->begin(makeAssignment()));
  EXPECT_NE(spool->version(), seen);
  spool->waitForChange(seen, std::chrono::hours(1));  // returns at once
}

}  // namespace
}  // namespace fleetmark::agent::core
