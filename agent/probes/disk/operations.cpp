#include "agent/probes/disk/operations.h"

#include <numeric>
#include <vector>

#include "common/base/random.h"
#include "common/platform/process.h"

namespace fleetmark::agent::probes::disk {

namespace {

using Content = MeasuredFile::Content;

std::vector<std::uint32_t> randomOrder(std::uint64_t blocks, std::uint64_t seed) {
  std::vector<std::uint32_t> order(blocks);
  std::iota(order.begin(), order.end(), 0U);
  base::SeededRandom random(seed);
  random.shuffle(order);
  return order;
}

base::Result<Content> written(const base::Status& status) {
  if (!status.has_value()) return status.error();
  return Content::kRight;
}

base::Result<Content> touch(Operation operation, MeasuredFile& file, std::uint64_t place) {
  switch (operation) {
    case Operation::kSequentialRead:
      return file.readChunk(place);
    case Operation::kSequentialWrite:
      return written(file.writeChunk(place));
    case Operation::kRandomRead:
      return file.readBlock(place);
    case Operation::kRandomWrite:
      return written(file.writeBlock(place));
  }
  return base::internal("unknown disk operation");
}

void fail(Window& window, const base::Error& error) {
  window.ending = Ending::kFailed;
  window.error = error;
}

}  // namespace

std::string_view wordOf(Operation operation) {
  switch (operation) {
    case Operation::kSequentialRead:
      return "seq-read";
    case Operation::kSequentialWrite:
      return "seq-write";
    case Operation::kRandomRead:
      return "rand-read";
    case Operation::kRandomWrite:
      return "rand-write";
  }
  return {};
}

std::string_view metricOf(Operation operation) {
  switch (operation) {
    case Operation::kSequentialRead:
      return "disk_read_rate";
    case Operation::kSequentialWrite:
      return "disk_write_rate";
    case Operation::kRandomRead:
      return "disk_random_read_rate";
    case Operation::kRandomWrite:
      return "disk_random_write_rate";
  }
  return {};
}

bool writes(Operation operation) {
  return operation == Operation::kSequentialWrite || operation == Operation::kRandomWrite;
}

bool isSequential(Operation operation) {
  return operation == Operation::kSequentialRead || operation == Operation::kSequentialWrite;
}

Window runOperation(Operation operation, MeasuredFile& file, const base::Clock& clock,
                    const Limits& limits, std::uint64_t seed) {
  Window window;
  const bool sequential = isSequential(operation);
  const auto places = sequential ? file.chunks() : file.blocks();
  std::vector<std::uint32_t> order;
  if (!sequential) {
    order = randomOrder(places, seed);
    window.seed = seed;
  }
  if (writes(operation)) file.nextGeneration();
  const auto size = static_cast<std::int64_t>(sequential ? kChunkBytes : kBlockBytes);
  const std::int64_t leastOperations = sequential ? static_cast<std::int64_t>(places) : 1;

  const auto start = clock.mono();
  auto now = start;
  for (std::uint64_t turn = 0;; turn = turn + 1 == places ? 0 : turn + 1) {
    const auto before = now = clock.mono();
    auto content = touch(operation, file, sequential ? turn : order[turn]);
    now = clock.mono();
    if (!content.has_value()) {
      fail(window, content.error());
      break;
    }
    window.latency.record(now - before);
    window.wrongReads += *content == Content::kWrong ? 1 : 0;
    ++window.operations;
    window.bytes.count += size;
    if (now - start >= limits.least && window.operations >= leastOperations) break;
    if (now - start >= limits.most) {
      window.ending = Ending::kTimedOut;
      break;
    }
    if (platform::StopSignal::requested()) {
      window.ending = Ending::kStopped;
      break;
    }
  }
  if (writes(operation) && window.ending != Ending::kFailed) {
    const auto before = now;
    if (auto flushed = file.file().flush(); !flushed.has_value()) fail(window, flushed.error());
    now = clock.mono();
    window.flush = now - before;
  }
  window.elapsed = now - start;
  if (window.ending == Ending::kComplete && window.elapsed > limits.most) {
    window.ending = Ending::kTimedOut;
  }
  return window;
}

}  // namespace fleetmark::agent::probes::disk
