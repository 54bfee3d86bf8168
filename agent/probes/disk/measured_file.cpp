#include "agent/probes/disk/measured_file.h"

#include <algorithm>

#include "common/base/check.h"

namespace fleetmark::agent::probes::disk {

namespace {

constexpr std::uint64_t kMostContent = 16;  // chunks prepared; stamped anew for each place

base::Status whole(const base::Result<std::size_t>& moved, std::size_t wanted, const char* what) {
  if (!moved.has_value()) return moved.error();
  if (*moved == wanted) return {};
  return base::unavailable("a direct " + std::string(what) + " of " + std::to_string(wanted) +
                           " bytes moved only " + std::to_string(*moved) +
                           "; is the file system full or the device failing?");
}

}  // namespace

MeasuredFile::MeasuredFile(std::unique_ptr<DirectFile> file, base::Bytes size, std::uint64_t seed)
    : file_(std::move(file)), id_(seed) {
  FM_CHECK(size.count > 0 && size.count % static_cast<std::int64_t>(kChunkBytes) == 0);
  generations_.resize(static_cast<std::size_t>(size.count) / kBlockBytes);
  base::SeededRandom random(seed);
  const auto prepared = std::min(chunks(), kMostContent);
  for (std::uint64_t i = 0; i < prepared; ++i) {
    auto& buffer = content_.emplace_back(kChunkBytes);
    for (std::size_t block = 0; block < kBlocksPerChunk; ++block) {
      fillBlock(buffer.bytes().subspan(block * kBlockBytes, kBlockBytes), random);
    }
  }
}

base::Status MeasuredFile::writeChunk(std::uint64_t chunk) {
  // The content moves on with the generation: what is written differs from what stands there in
  // more than its headers.
  auto& buffer = content_[(chunk + generation_) % content_.size()];
  const auto first = chunk * kBlocksPerChunk;
  for (std::size_t i = 0; i < kBlocksPerChunk; ++i) {
    stampBlock(buffer.bytes().subspan(i * kBlockBytes, kBlockBytes), {id_, first + i, generation_});
  }
  FM_TRY(whole(file_->write(buffer.bytes(), static_cast<std::int64_t>(chunk * kChunkBytes)),
               kChunkBytes, "write"));
  std::fill_n(generations_.begin() + static_cast<std::ptrdiff_t>(first), kBlocksPerChunk,
              static_cast<std::uint32_t>(generation_));
  return {};
}

base::Status MeasuredFile::writeBlock(std::uint64_t block) {
  auto& buffer = content_[(block / kBlocksPerChunk + generation_) % content_.size()];
  auto content = buffer.bytes().subspan(block % kBlocksPerChunk * kBlockBytes, kBlockBytes);
  stampBlock(content, {id_, block, generation_});
  FM_TRY(whole(file_->write(content, static_cast<std::int64_t>(block * kBlockBytes)), kBlockBytes,
               "write"));
  generations_[block] = static_cast<std::uint32_t>(generation_);
  return {};
}

BlockView MeasuredFile::inChunk(std::size_t block) const {
  return in_.bytes().subspan(block * kBlockBytes, kBlockBytes);
}

base::Result<MeasuredFile::Content> MeasuredFile::readChunk(std::uint64_t chunk) {
  FM_TRY(whole(file_->read(in_.bytes(), static_cast<std::int64_t>(chunk * kChunkBytes)),
               kChunkBytes, "read"));
  // All 256 would be as many cache misses, a few per cent of a fast device's time.
  for (std::size_t block : {std::size_t{0}, chunk % kBlocksPerChunk, kBlocksPerChunk - 1}) {
    if (!headerIsRight(inChunk(block), idOf(chunk * kBlocksPerChunk + block))) {
      return Content::kWrong;
    }
  }
  return Content::kRight;
}

base::Result<MeasuredFile::Content> MeasuredFile::readBlock(std::uint64_t block) {
  auto into = in_.bytes().first(kBlockBytes);
  FM_TRY(whole(file_->read(into, static_cast<std::int64_t>(block * kBlockBytes)), kBlockBytes,
               "read"));
  return headerIsRight(into, idOf(block)) ? Content::kRight : Content::kWrong;
}

base::Status MeasuredFile::verifyChunk(std::uint64_t chunk, Verification& found) {
  FM_TRY(whole(file_->read(in_.bytes(), static_cast<std::int64_t>(chunk * kChunkBytes)),
               kChunkBytes, "read"));
  for (std::size_t i = 0; i < kBlocksPerChunk; ++i) {
    const auto block = chunk * kBlocksPerChunk + i;
    ++found.blocks;
    if (blockIsRight(inChunk(i), idOf(block))) continue;
    ++found.wrong;
    if (!found.firstWrong) found.firstWrong = block;
  }
  return {};
}

}  // namespace fleetmark::agent::probes::disk
