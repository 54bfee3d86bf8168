// The file that the disk probe reads and writes, and what must stand in each of its blocks.
// Needs 1/1024 of the file's size in memory, and up to 16 MiB of prepared content.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agent/platform/aligned_buffer.h"
#include "agent/platform/direct_io.h"
#include "agent/probes/disk/block.h"

namespace fleetmark::agent::probes::disk {

inline constexpr std::size_t kChunkBytes = 1024 * 1024;
inline constexpr std::size_t kBlocksPerChunk = kChunkBytes / kBlockBytes;

struct Verification {
  std::int64_t blocks = 0;
  std::int64_t wrong = 0;
  std::optional<std::uint64_t> firstWrong;
};

// One owner, one thread. Errors are those of the file.
class MeasuredFile {
 public:
  // `size` is a multiple of kChunkBytes. The seed makes the content and the file's id.
  MeasuredFile(std::unique_ptr<DirectFile> file, base::Bytes size, std::uint64_t seed);

  DirectFile& file() { return *file_; }
  std::uint64_t chunks() const { return generations_.size() / kBlocksPerChunk; }
  std::uint64_t blocks() const { return generations_.size(); }

  // What the next writes are marked with.
  void nextGeneration() { ++generation_; }
  // For timed windows: content is ready, only headers are written or looked at. A read reports
  // whether the headers looked at are right (all of a block; three of a chunk's 256).
  base::Status writeChunk(std::uint64_t chunk);
  base::Status writeBlock(std::uint64_t block);
  enum class Content { kRight, kWrong };
  base::Result<Content> readChunk(std::uint64_t chunk);
  base::Result<Content> readBlock(std::uint64_t block);

  // Reads all of the chunk's blocks and compares header and payload.
  base::Status verifyChunk(std::uint64_t chunk, Verification& found);

 private:
  BlockId idOf(std::uint64_t block) const { return {id_, block, generations_[block]}; }
  BlockView inChunk(std::size_t block) const;

  std::unique_ptr<DirectFile> file_;
  std::uint64_t id_;
  std::uint64_t generation_ = 0;
  std::vector<std::uint32_t> generations_;  // of each block as it was last written
  std::vector<AlignedBuffer> content_;
  AlignedBuffer in_{kChunkBytes};
};

}  // namespace fleetmark::agent::probes::disk
