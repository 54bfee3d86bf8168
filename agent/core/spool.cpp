#include "agent/core/spool.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/platform/files.h"
#include "common/rpc/agent_codec.h"

namespace fleetmark::agent::core {

namespace {

// "20261130160937125000000-42-0.spool": names sort by age.
std::string fileName(const model::Assignment& assignment, base::WallTime now,
                     std::uint64_t distinct) {
  std::string time = std::to_string(base::toUnixNanos(now));
  time.insert(0, time.size() < 20 ? 20 - time.size() : 0, '0');
  return time + "-" + std::to_string(assignment.attempt.value) + "-" + std::to_string(distinct) +
         ".spool";
}

base::Result<std::string> readBack(const std::string& path, std::size_t offset, std::size_t bytes) {
  std::ifstream in(path, std::ios::binary);
  std::string out(bytes, '\0');
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(out.data(), static_cast<std::streamsize>(bytes));
  if (!in) return base::unavailable("cannot read the spool file " + path);
  return out;
}

}  // namespace

void Spool::changed() {
  ++version_;
  changed_.notify_all();
}

base::Status Spool::roomLocked(std::int64_t more) const {
  if (total_ + more > options_.most.count) {
    return base::overloaded("the spool " + options_.folder + " holds " +
                            base::formatBytes({total_}) + " of at most " +
                            base::formatBytes(options_.most) +
                            "; let the agent reach its coordinator, or remove what is in "
                            "set-aside/");
  }
  return {};
}

base::Status Spool::admit() const {
  {
    std::lock_guard lock(mutex_);
    FM_TRY(roomLocked(1));
  }
  FM_TRY_ASSIGN(auto free, platform::freeBytes(options_.folder));
  if (free < options_.keepFree.count) {
    return base::overloaded("the disk of the spool " + options_.folder + " has " +
                            base::formatBytes({free}) + " free, " +
                            base::formatBytes(options_.keepFree) +
                            " are needed for new work; free some space");
  }
  return {};
}

base::Result<SpoolKey> Spool::begin(const model::Assignment& assignment) {
  FM_TRY(admit());
  std::lock_guard lock(mutex_);
  return beginLocked(assignment);
}

base::Result<SpoolKey> Spool::beginLocked(const model::Assignment& assignment) {
  Entry entry;
  entry.path = options_.folder + "/" + fileName(assignment, clock_.wall(), nextKey_);
  entry.assignment = assignment;
  FM_TRY_ASSIGN(entry.file, platform::openAppendFile(entry.path, platform::AppendOpen::kCreate));
  auto written = writeRecord(entry, RecordType::kAssignment, 0, rpc::encodeAssignment(assignment));
  if (!written) {
    std::error_code ignored;
    total_ -= entry.size;
    std::filesystem::remove(entry.path, ignored);  // holds nothing that was measured
    return written.error();
  }
  SpoolKey key = nextKey_++;
  entries_.emplace(key, std::move(entry));
  changed();
  return key;
}

base::Status Spool::writeRecord(Entry& entry, RecordType type, std::uint32_t number,
                                const std::string& payload) {
  if (payload.size() > kMaxRecordPayload) {
    return base::invalid("a spool record of " + base::formatBytes({std::int64_t(payload.size())}) +
                         " is over the limit of " +
                         base::formatBytes({std::int64_t(kMaxRecordPayload)}));
  }
  std::string record = encodeRecord(type, number, payload);
  std::int64_t before = entry.file->size();
  FM_TRY(entry.file->append(record));
  auto synced = entry.file->sync();
  if (!synced) {
    // Not known to be on the disk, so not part of the attempt.
    FM_TRY(entry.file->truncate(before));
    return synced;
  }
  auto bytes = static_cast<std::int64_t>(record.size());
  entry.size += bytes;
  total_ += bytes;
  return {};
}

base::Status Spool::append(SpoolKey key, const model::SampleChunk& chunk) {
  std::string payload = rpc::encodeSampleChunk(chunk);
  std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end()) return base::notFound("the attempt is no longer in the spool");
  Entry& entry = found->second;
  FM_CHECK(entry.file && !entry.completion && chunk.number == entry.chunks.size());
  FM_TRY(roomLocked(static_cast<std::int64_t>(payload.size() + kRecordHeaderBytes)));
  std::size_t offset = static_cast<std::size_t>(entry.file->size()) + kRecordHeaderBytes;
  FM_TRY(writeRecord(entry, RecordType::kChunk, chunk.number, payload));
  entry.chunks.push_back({RecordType::kChunk, chunk.number, offset, payload.size()});
  changed();
  return {};
}

base::Status Spool::complete(SpoolKey key, const model::Completion& completion) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end()) return base::notFound("the attempt is no longer in the spool");
  Entry& entry = found->second;
  FM_CHECK(!entry.completion && completion.chunkCount == entry.chunks.size());
  entry.completion = completion;
  base::Status written;
  if (!entry.file) {
    auto file = platform::openAppendFile(entry.path, platform::AppendOpen::kExisting);
    if (file) {
      entry.file = std::move(file).value();
    } else {
      written = file.error();
    }
  }
  if (entry.file) {
    written = writeRecord(entry, RecordType::kCompletion, 0, rpc::encodeCompletion(completion));
    entry.file.reset();
  }
  changed();
  return written;
}

std::vector<SpoolEntry> Spool::entries() const {
  std::lock_guard lock(mutex_);
  std::vector<SpoolEntry> out;
  for (const auto& [key, entry] : entries_) {
    out.push_back({key, entry.assignment, static_cast<std::uint32_t>(entry.chunks.size()),
                   entry.completion.has_value(), entry.recovered});
  }
  return out;
}

std::optional<SpoolEntry> Spool::entry(SpoolKey key) const {
  for (auto& known : entries()) {
    if (known.key == key) return std::move(known);
  }
  return std::nullopt;
}

base::Result<model::SampleChunk> Spool::chunk(SpoolKey key, std::uint32_t number) const {
  std::string path;
  RecordRef record;
  {
    std::lock_guard lock(mutex_);
    auto found = entries_.find(key);
    if (found == entries_.end() || number >= found->second.chunks.size()) {
      return base::notFound("chunk " + std::to_string(number) + " is not in the spool");
    }
    path = found->second.path;
    record = found->second.chunks[number];
  }
  FM_TRY_ASSIGN(auto bytes, readBack(path, record.payloadOffset - kRecordHeaderBytes,
                                     kRecordHeaderBytes + record.payloadBytes));
  RecordRef seen;
  if (!readRecord(bytes, 0, seen) || seen.number != number) {
    return base::invalid("chunk " + std::to_string(number) + " in " + path +
                         " no longer matches its checksum");
  }
  return rpc::decodeSampleChunk(std::string_view(bytes).substr(kRecordHeaderBytes));
}

base::Result<model::Completion> Spool::completion(SpoolKey key) const {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.completion) {
    return base::notFound("the attempt has no completion in the spool");
  }
  return *found->second.completion;
}

base::Status Spool::drop(SpoolKey key) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  std::error_code failed;
  std::filesystem::remove(found->second.path, failed);
  std::string path = found->second.path;
  if (!failed) total_ -= found->second.size;
  entries_.erase(found);  // a file that stays is answered as a duplicate after the next start
  changed();
  if (failed) return base::unavailable("cannot remove " + path + ": " + failed.message());
  return {};
}

base::Status Spool::setAside(SpoolKey key, const std::string& reason) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  auto moved = moveAside(found->second.path);
  entries_.erase(found);
  changed();
  if (!moved) return moved.error();
  auto noted = platform::writePrivateFile(*moved + ".reason", reason + "\n");
  return noted;
}

base::Result<std::string> Spool::moveAside(const std::string& path) {
  std::string folder = options_.folder + "/set-aside";
  FM_TRY(platform::makePrivateFolder(folder));
  std::string target = folder + "/" + std::filesystem::path(path).filename().string();
  std::error_code failed;
  std::filesystem::rename(path, target, failed);
  if (failed) {
    return base::unavailable("cannot move " + path + " to " + target + ": " + failed.message());
  }
  return target;
}

std::uint64_t Spool::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

void Spool::waitForChange(std::uint64_t seen, base::Nanos limit) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [&] { return version_ != seen; });
}

void Spool::wake() {
  std::lock_guard lock(mutex_);
  changed();
}

}  // namespace fleetmark::agent::core
