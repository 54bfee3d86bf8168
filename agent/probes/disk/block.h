// The 4 KiB block that the measured file is made of. Each one says which file, place and
// generation it belongs to, so that a lost, misplaced or stale block is found; no two are alike
// and none can be compressed, so that no device gains from leaving them out.
//
// Layout, little-endian 64-bit words: magic, file, number, generation, sum of the payload, sum of
// the five words before; then 4,048 random bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/random.h"

namespace fleetmark::agent::probes::disk {

inline constexpr std::size_t kBlockBytes = 4096;

struct BlockId {
  std::uint64_t file = 0;
  std::uint64_t number = 0;      // offset / kBlockBytes
  std::uint64_t generation = 0;  // raised by every writing operation
};

using BlockView = std::span<const std::uint8_t>;
using BlockSpan = std::span<std::uint8_t>;

// Random payload and its sum; the block has no identity until it is stamped.
void fillBlock(BlockSpan block, base::SeededRandom& random);
// Some 10 ns: only the header is touched.
void stampBlock(BlockSpan block, const BlockId& id);
// The header alone, for use inside a timed window.
bool headerIsRight(BlockView block, const BlockId& id);
// Header and payload.
bool blockIsRight(BlockView block, const BlockId& id);

}  // namespace fleetmark::agent::probes::disk
