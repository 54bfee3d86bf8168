#include "agent/probes/disk/block.h"

#include <array>
#include <bit>
#include <cstring>

#include "common/base/check.h"

namespace fleetmark::agent::probes::disk {

namespace {

static_assert(std::endian::native == std::endian::little, "the layout is little-endian");

constexpr std::uint64_t kMagic = 0x314b4c424d465f7fULL;
constexpr std::size_t kWords = kBlockBytes / 8;
constexpr std::size_t kHeaderWords = 6;
enum Word : std::size_t {
  kMagicAt,
  kFileAt,
  kNumberAt,
  kGenerationAt,
  kPayloadSumAt,
  kHeaderSumAt
};

std::uint64_t wordAt(BlockView block, std::size_t word) {
  std::uint64_t value = 0;
  std::memcpy(&value, block.data() + word * 8, 8);
  return value;
}

void setWord(BlockSpan block, std::size_t word, std::uint64_t value) {
  std::memcpy(block.data() + word * 8, &value, 8);
}

// Not against malice: against blocks that are lost, torn or swapped. Four lanes keep the
// multiplier busy.
std::uint64_t sumOf(BlockView block, std::size_t from, std::size_t to) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  std::array<std::uint64_t, 4> lanes{1, 2, 3, 4};
  for (std::size_t word = from; word < to; ++word) {
    auto& lane = lanes[(word - from) % lanes.size()];
    lane = std::rotl(lane ^ wordAt(block, word), 29) * kOdd;
  }
  std::uint64_t sum = 0;
  for (auto lane : lanes) sum = std::rotl(sum ^ lane, 31) * kOdd;
  return sum;
}

}  // namespace

void fillBlock(BlockSpan block, base::SeededRandom& random) {
  FM_CHECK(block.size() == kBlockBytes);
  random.fill(block.subspan(kHeaderWords * 8));
  setWord(block, kPayloadSumAt, sumOf(block, kHeaderWords, kWords));
}

void stampBlock(BlockSpan block, const BlockId& id) {
  setWord(block, kMagicAt, kMagic);
  setWord(block, kFileAt, id.file);
  setWord(block, kNumberAt, id.number);
  setWord(block, kGenerationAt, id.generation);
  setWord(block, kHeaderSumAt, sumOf(block, 0, kHeaderSumAt));
}

bool headerIsRight(BlockView block, const BlockId& id) {
  return block.size() == kBlockBytes && wordAt(block, kMagicAt) == kMagic &&
         wordAt(block, kFileAt) == id.file && wordAt(block, kNumberAt) == id.number &&
         wordAt(block, kGenerationAt) == id.generation &&
         wordAt(block, kHeaderSumAt) == sumOf(block, 0, kHeaderSumAt);
}

bool blockIsRight(BlockView block, const BlockId& id) {
  return headerIsRight(block, id) &&
         wordAt(block, kPayloadSumAt) == sumOf(block, kHeaderWords, kWords);
}

}  // namespace fleetmark::agent::probes::disk
