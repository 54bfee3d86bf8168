#include "agent/probes/disk/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fleetmark::agent::probes::disk {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Proof good() {
  Proof proof;
  proof.fileSystem.type = "ext4";
  proof.alignment = DirectAlignment{512, 512};
  proof.moved = base::Bytes{1000};
  proof.blockLayer = base::Bytes{990};
  proof.resident = 0.01;
  proof.minLatency = 1us;
  return proof;
}

TEST(DiskProof, HoldsExactlyAtItsLimits) { EXPECT_THAT(doubts(good()), IsEmpty()); }

TEST(DiskProof, KernelTooOldToTellItsAlignmentIsAccepted) {
  auto proof = good();
  proof.alignment.reset();
  EXPECT_THAT(doubts(proof), IsEmpty());
}

TEST(DiskProof, BytesThatTheBlockLayerNeverSawAreDoubted) {
  auto proof = good();
  proof.blockLayer = base::Bytes{989};
  EXPECT_THAT(doubts(proof), ElementsAre(HasSubstr("98.9 %")));
}

TEST(DiskProof, CachedPagesAreDoubted) {
  auto proof = good();
  proof.resident = 0.011;
  EXPECT_THAT(doubts(proof), ElementsAre(HasSubstr("page cache")));
}

// axboe/fio#329: 'direct' was forgotten and the minimum latency was 0.
TEST(DiskProof, LatencyUnderAMicrosecondIsDoubted) {
  auto proof = good();
  proof.minLatency = 999ns;
  EXPECT_THAT(doubts(proof), ElementsAre(HasSubstr("less than 1us")));
}

TEST(DiskProof, MemoryFileSystemIsDoubtedWhateverElseItSays) {
  auto proof = good();
  proof.fileSystem = {"tmpfs", "/tmp", "rw", "tmpfs", true, false};
  EXPECT_THAT(doubts(proof), ElementsAre(HasSubstr("tmpfs")));
}

TEST(DiskProof, MissingEvidenceIsNoProof) {
  auto proof = good();
  proof.blockLayer.reset();
  proof.resident.reset();
  EXPECT_THAT(doubts(proof), ElementsAre(HasSubstr("count"), HasSubstr("cached")));
}

TEST(DiskProof, OfferedAlignmentOfZeroMeansNoDirectIo) {
  auto proof = good();
  proof.alignment = DirectAlignment{0, 0};
  EXPECT_THAT(doubts(proof), ElementsAre(HasSubstr("no direct I/O")));
}

}  // namespace
}  // namespace fleetmark::agent::probes::disk
