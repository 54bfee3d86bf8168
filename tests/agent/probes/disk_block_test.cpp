#include "agent/probes/disk/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace fleetmark::agent::probes::disk {
namespace {

std::vector<std::uint8_t> stamped(const BlockId& id, std::uint64_t seed = 1) {
  std::vector<std::uint8_t> block(kBlockBytes);
  base::SeededRandom random(seed);
  fillBlock(block, random);
  stampBlock(block, id);
  return block;
}

TEST(DiskBlock, IsRightWhereItWasWritten) {
  const BlockId id{7, 42, 3};
  auto block = stamped(id);
  EXPECT_TRUE(headerIsRight(block, id));
  EXPECT_TRUE(blockIsRight(block, id));
}

TEST(DiskBlock, AnotherFilePlaceOrGenerationIsFound) {
  auto block = stamped({7, 42, 3});
  EXPECT_FALSE(headerIsRight(block, {8, 42, 3})) << "another file's";
  EXPECT_FALSE(headerIsRight(block, {7, 43, 3})) << "misplaced";
  EXPECT_FALSE(headerIsRight(block, {7, 42, 4})) << "stale";
}

TEST(DiskBlock, EveryFlippedBitIsFound) {
  const BlockId id{7, 42, 3};
  const auto good = stamped(id);
  for (std::size_t byte = 0; byte < kBlockBytes; ++byte) {
    auto block = good;
    block[byte] ^= static_cast<std::uint8_t>(1U << (byte % 8));
    EXPECT_FALSE(blockIsRight(block, id)) << byte;
    EXPECT_EQ(headerIsRight(block, id), byte >= 48) << byte;
  }
}

TEST(DiskBlock, ZeroesAndTornBlocksAreFound) {
  const BlockId id{7, 42, 3};
  EXPECT_FALSE(headerIsRight(std::vector<std::uint8_t>(kBlockBytes), id));
  auto block = stamped(id, 1);
  auto other = stamped(id, 2);
  std::copy(other.begin() + 512, other.end(), block.begin() + 512);  // only one sector arrived
  EXPECT_TRUE(headerIsRight(block, id));
  EXPECT_FALSE(blockIsRight(block, id));
}

// Shannon: 4,048 uniformly random bytes have about 7.95 bits of entropy a byte in a sample of that
// size; text and zeroes are far below 7.
TEST(DiskBlock, PayloadCannotBeCompressed) {
  auto block = stamped({7, 42, 3});
  double counts[256] = {};
  for (std::size_t i = 48; i < kBlockBytes; ++i) counts[block[i]] += 1;
  double bits = 0;
  for (double count : counts) {
    if (count > 0) bits -= count / 4048 * std::log2(count / 4048);
  }
  EXPECT_GT(bits, 7.9);
}

}  // namespace
}  // namespace fleetmark::agent::probes::disk
