#include "agent/core/uploader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/agent/core/fake_coordinator.h"
#include "tests/agent/core/work_values.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::agent::core {
namespace {

using model::IngestAnswer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::answered;
using ::testing::ElementsAre;
using testing::FakeCoordinator;
using testing::makeAssignment;
using testing::makeChunk;
using testing::makeCompletion;

class UploaderTest : public ::testing::Test {
 protected:
  UploaderTest() {
    auto spool = Spool::open({folder_.path() + "/spool", {256 * base::kMiB}, {0}}, clock_);
    EXPECT_TRUE(spool);
    spool_ = std::move(spool).value();
    uploader_ = std::make_unique<Uploader>(
        coordinator_, *spool_, feed_, keeper_, clock_,
        UploaderOptions{milliseconds(1), milliseconds(4), milliseconds(1)});
  }
  ~UploaderTest() override {
    coordinator_.stop();
    uploader_->stop();
  }
  SpoolKey attempt(std::uint32_t chunks, bool completed = true) {
    auto key = spool_->begin(makeAssignment());
    EXPECT_TRUE(key);
    for (std::uint32_t number = 0; number < chunks; ++number) {
      EXPECT_TRUE(spool_->append(*key, makeChunk(number)));
    }
    if (completed) {
      EXPECT_TRUE(spool_->complete(*key, makeCompletion(chunks)));
    }
    return *key;
  }
  // False after about 20 s.
  bool untilEmpty() {
    for (int round = 0; round < 200; ++round) {
      auto seen = spool_->version();
      if (spool_->entries().empty()) return true;
      spool_->waitForChange(seen, milliseconds(100));
    }
    return false;
  }
  std::size_t setAside() {
    std::string folder = folder_.path() + "/spool/set-aside";
    std::size_t count = 0;
    if (!std::filesystem::exists(folder)) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".spool") ++count;
    }
    return count;
  }
  void end() {
    coordinator_.stop();
    uploader_->stop();
  }

  tests::TemporaryFolder folder_;
  tests::ManualClock clock_;
  FakeCoordinator coordinator_;
  LiveFeed feed_;
  LeaseKeeper keeper_{coordinator_, clock_, milliseconds(1)};
  std::unique_ptr<Spool> spool_;
  std::unique_ptr<Uploader> uploader_;
};

TEST_F(UploaderTest, SendsChunksThenTheLastWithTheCompletionAndDropsTheAttempt) {
  attempt(3);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  end();
  EXPECT_EQ(coordinator_.chunkCalls, 2);
  EXPECT_EQ(coordinator_.chunks.at(2), makeChunk(2));
  ASSERT_EQ(coordinator_.ended.size(), 1u);
  EXPECT_EQ(coordinator_.ended[0].completion, makeCompletion(3));
}

TEST_F(UploaderTest, StreamsWhileTheAttemptIsOpenAndKeepsIt) {
  auto key = attempt(1, false);
  uploader_->start();
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.chunks.size() == 1; }));
  ASSERT_TRUE(spool_->append(key, makeChunk(1)));
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.chunks.size() == 2; }));
  EXPECT_EQ(spool_->entries().size(), 1u);
  ASSERT_TRUE(spool_->complete(key, makeCompletion(2)));
  ASSERT_TRUE(untilEmpty());
}

TEST_F(UploaderTest, GoesOnAfterAnOutageWithoutLoss) {
  coordinator_.script([](auto& script) {
    script.chunks.push_back(std::nullopt);
    script.chunks.push_back(base::Result<IngestReply>(base::unavailable("lost")));
    script.chunks.push_back(base::Result<IngestReply>(base::overloaded("busy")));
    script.chunks.push_back(base::Result<IngestReply>(base::internal("error 17")));
    script.completions.push_back(base::Result<IngestReply>(base::unavailable("lost")));
  });
  attempt(3);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  end();
  EXPECT_EQ(coordinator_.chunkCalls, 5);
  EXPECT_EQ(coordinator_.completionCalls, 2);
  EXPECT_EQ(coordinator_.chunks.size(), 3u);
  EXPECT_EQ(coordinator_.ended.size(), 1u);
  EXPECT_EQ(setAside(), 0u);
}

TEST_F(UploaderTest, TakesADuplicateForDone) {
  coordinator_.script([](auto& script) {
    script.chunks.push_back(base::Result<IngestReply>(answered(IngestAnswer::kDuplicate)));
    script.completions.push_back(base::Result<IngestReply>(answered(IngestAnswer::kDuplicate)));
  });
  attempt(1);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
}

TEST_F(UploaderTest, SendsMissingChunksAgainThenCompletes) {
  coordinator_.script([](auto& script) {
    // Says ok to chunk 1 but loses it.
    script.chunks = {std::nullopt, base::Result<IngestReply>(answered(IngestAnswer::kOk))};
  });
  attempt(3);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  end();
  EXPECT_EQ(coordinator_.chunkCalls, 3);
  EXPECT_EQ(coordinator_.completionCalls, 2);
  EXPECT_EQ(coordinator_.chunks.size(), 3u);
  EXPECT_EQ(coordinator_.ended.size(), 1u);
}

TEST_F(UploaderTest, SetsAsideWhatIsAskedForWithoutAnEnd) {
  coordinator_.script([](auto& script) {
    for (int i = 0; i < 10; ++i) {
      script.completions.push_back(
          base::Result<IngestReply>(answered(IngestAnswer::kMissing, {0})));
    }
  });
  attempt(1);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  EXPECT_EQ(setAside(), 1u);
}

TEST_F(UploaderTest, SetsAsideWhenAChunkIsAskedForThatNeverWas) {
  coordinator_.script([](auto& script) {
    script.completions.push_back(
        base::Result<IngestReply>(answered(IngestAnswer::kMissing, {4'000'000'000})));
  });
  attempt(1);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  EXPECT_EQ(setAside(), 1u);
}

TEST_F(UploaderTest, AFencedChunkEndsTheRunAndTheRestIsNotSent) {
  coordinator_.script([](auto& script) {
    script.chunks.push_back(base::Result<IngestReply>(answered(IngestAnswer::kFenced)));
  });
  auto key = attempt(2, false);
  auto control = std::make_shared<RunControl>(clock_.mono() + seconds(30));
  keeper_.add(makeAssignment().lease, seconds(30), control);
  uploader_->start();
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.chunkCalls == 1; }));
  ASSERT_TRUE(spool_->complete(key, makeCompletion(2)));
  ASSERT_TRUE(untilEmpty());
  end();
  EXPECT_EQ(control->reason(), StopReason::kLeaseLost);
  EXPECT_EQ(coordinator_.chunkCalls, 1);
  EXPECT_EQ(coordinator_.completionCalls, 0);
  EXPECT_EQ(setAside(), 0u);
}

TEST_F(UploaderTest, DropsACompletionThatIsFencedOrUnknown) {
  for (auto answer : {IngestAnswer::kFenced, IngestAnswer::kUnknown}) {
    coordinator_.script([&](auto& script) {
      script.completions.push_back(base::Result<IngestReply>(answered(answer)));
    });
    clock_.advance(seconds(1));
    attempt(0);
  }
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  EXPECT_EQ(setAside(), 0u);
}

TEST_F(UploaderTest, SetsAsideWhatTheCoordinatorRefusesForGood) {
  coordinator_.script([](auto& script) {
    script.chunks.push_back(base::Result<IngestReply>(base::invalid("no such metric")));
  });
  attempt(2);
  clock_.advance(seconds(1));
  attempt(1);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  end();
  EXPECT_EQ(setAside(), 1u);
  EXPECT_EQ(coordinator_.ended.size(), 1u);
}

TEST_F(UploaderTest, SetsAsideAfterManyInternalErrorsInARow) {
  coordinator_.script([](auto& script) {
    for (int i = 0; i < 100; ++i) {
      script.chunks.push_back(base::Result<IngestReply>(base::internal("error 17")));
    }
  });
  attempt(2);
  uploader_->start();
  ASSERT_TRUE(untilEmpty());
  end();
  EXPECT_EQ(coordinator_.chunkCalls, Uploader::kMostInternal);
  EXPECT_EQ(setAside(), 1u);
}

TEST_F(UploaderTest, ASpoolFileThatCannotBeReadDoesNotHoldUpTheNext) {
  attempt(2);
  std::string first;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path() + "/spool")) {
    if (file.path().extension() == ".spool") first = file.path();
  }
  ASSERT_FALSE(first.empty());
  std::filesystem::remove(first);
  std::filesystem::create_directory(first);  // opens, but can't be read
  clock_.advance(seconds(1));
  attempt(2);
  uploader_->start();
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) { return seen.ended.size() == 1; }));
  end();
  EXPECT_EQ(coordinator_.chunks.size(), 2u);
}

TEST_F(UploaderTest, PassesProgressAndLogOn) {
  uploader_->start();
  feed_.progress(makeAssignment().lease, "read 1/5");
  feed_.log(makeAssignment().lease, "a line\n");
  spool_->wake();
  ASSERT_TRUE(coordinator_.waitUntil([](const auto& seen) {
    return seen.logs == "a line\n" && seen.progresses == std::vector<std::string>{"read 1/5"};
  }));
}

}  // namespace
}  // namespace fleetmark::agent::core
