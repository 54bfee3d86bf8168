// What Spool::open does with the files of an earlier start.
#include <algorithm>
#include <filesystem>

#include "agent/core/spool.h"
#include "common/platform/files.h"
#include "common/rpc/agent_codec.h"

namespace fleetmark::agent::core {

namespace fs = std::filesystem;

base::Result<std::unique_ptr<Spool>> Spool::open(SpoolOptions options, const base::Clock& clock) {
  FM_TRY(platform::makePrivateFolder(options.folder));
  std::unique_ptr<Spool> spool(new Spool(std::move(options), clock));
  FM_TRY(spool->recover());
  return spool;
}

base::Status Spool::recover() {
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::directory_iterator at(options_.folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() == ".spool") paths.push_back(at->path().string());
  }
  if (failed) {
    return base::unavailable("cannot list the spool " + options_.folder + ": " + failed.message());
  }
  std::string aside = options_.folder + "/set-aside";
  std::size_t setAside = 0;
  for (fs::directory_iterator at(aside, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    auto size = at->file_size(unknown);
    if (!unknown) total_ += static_cast<std::int64_t>(size);
    if (at->path().extension() == ".spool") ++setAside;
  }
  if (setAside > 0) {
    notices_.push_back(std::to_string(setAside) + " spool file(s) set aside earlier stand in " +
                       aside + "; look at them and remove them");
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    FM_TRY(recoverFile(path));
  }
  return {};
}

base::Status Spool::recoverFile(const std::string& path) {
  // Whatever its size: the bound may have been lowered since, and the report of old still goes out.
  std::error_code failed;
  auto size = fs::file_size(path, failed);
  if (failed) return base::unavailable("cannot look at " + path + ": " + failed.message());
  FM_TRY_ASSIGN(auto bytes, platform::readFile(path, static_cast<std::size_t>(size)));
  SpoolScan scan = scanSpool(bytes);
  switch (scan.damage) {
    case SpoolDamage::kNone:
      break;
    case SpoolDamage::kTorn: {
      notices_.push_back("the last write to " + path +
                         " was cut short: " + std::to_string(bytes.size() - scan.goodBytes) +
                         " bytes that were never reported are removed");
      FM_TRY_ASSIGN(auto file, platform::openAppendFile(path, platform::AppendOpen::kExisting));
      FM_TRY(file->truncate(static_cast<std::int64_t>(scan.goodBytes)));
      FM_TRY(file->sync());
      break;
    }
    case SpoolDamage::kCorrupt:
      return rebuild(path, bytes, scan);
  }
  if (scan.records.empty()) {
    std::error_code ignored;
    fs::remove(path, ignored);  // ended before the assignment was on the disk: nothing was run
    return {};
  }

  Entry entry;
  entry.path = path;
  entry.size = static_cast<std::int64_t>(scan.goodBytes);
  entry.recovered = true;
  for (const auto& record : scan.records) {
    std::string_view payload =
        std::string_view(bytes).substr(record.payloadOffset, record.payloadBytes);
    switch (record.type) {
      case RecordType::kAssignment: {
        auto assignment = rpc::decodeAssignment(payload);
        if (!assignment) {
          FM_TRY_ASSIGN(auto moved, moveAside(path));
          total_ += entry.size;
          notices_.push_back("the spool file of an attempt can't be read by this version (" +
                             assignment.error().message + "); it is set aside as " + moved);
          return {};
        }
        entry.assignment = std::move(assignment).value();
        break;
      }
      case RecordType::kChunk:
        entry.chunks.push_back(record);
        break;
      case RecordType::kCompletion: {
        auto completion = rpc::decodeCompletion(payload);
        if (!completion || completion->chunkCount != entry.chunks.size()) {
          scan.records.pop_back();
          return rebuild(path, bytes, scan);
        }
        entry.completion = std::move(completion).value();
        break;
      }
    }
  }
  adopt(std::move(entry));
  return {};
}

void Spool::adopt(Entry entry) {
  total_ += entry.size;
  entries_.emplace(nextKey_++, std::move(entry));
}

// Makes a new file from what stood before the damage, so that the coordinator learns of the
// attempt, and sets the spoiled one aside. Without space for the new one all stays for the next
// start.
base::Status Spool::rebuild(const std::string& path, const std::string& bytes,
                            const SpoolScan& scan) {
  std::string notice = "the spool file " + path + " is damaged at byte " +
                       std::to_string(scan.goodBytes) + " of " + std::to_string(bytes.size());
  total_ += static_cast<std::int64_t>(bytes.size());
  base::Result<model::Assignment> assignment = base::invalid("no record");
  if (!scan.records.empty()) {
    const auto& first = scan.records.front();
    assignment = rpc::decodeAssignment(
        std::string_view(bytes).substr(first.payloadOffset, first.payloadBytes));
  }
  if (!assignment) {
    FM_TRY_ASSIGN(auto moved, moveAside(path));
    notices_.push_back(notice + "; it is set aside as " + moved +
                       "; which attempt it held can't be told");
    return {};
  }
  std::lock_guard lock(mutex_);
  auto key = beginLocked(*assignment);
  auto kept = key ? copyLocked(entries_.at(*key), bytes, scan, notice) : base::Status(key.error());
  if (!kept) {
    if (key) forgetLocked(*key);
    notices_.push_back(notice +
                       "; it stays for the next start, because what stands before the "
                       "damage could not be written anew: " +
                       kept.error().message);
    return {};
  }
  FM_TRY_ASSIGN(auto moved, moveAside(path));
  notices_.push_back(notice + "; it is set aside as " + moved);
  return {};
}

base::Status Spool::copyLocked(Entry& entry, const std::string& bytes, const SpoolScan& scan,
                               const std::string& notice) {
  entry.recovered = true;
  for (std::size_t i = 1; i < scan.records.size(); ++i) {
    const auto& record = scan.records[i];
    if (record.type != RecordType::kChunk) continue;
    std::size_t offset = static_cast<std::size_t>(entry.file->size()) + kRecordHeaderBytes;
    FM_TRY(writeRecord(entry, record.type, record.number,
                       bytes.substr(record.payloadOffset, record.payloadBytes)));
    entry.chunks.push_back({record.type, record.number, offset, record.payloadBytes});
  }
  model::Completion completion;
  completion.outcome = model::Outcome::kInfrastructure;
  completion.chunkCount = static_cast<std::uint32_t>(entry.chunks.size());
  completion.message = "the agent's record of this attempt was damaged on its disk; " +
                       std::to_string(entry.chunks.size()) + " chunk(s) before the damage stand";
  completion.notices.push_back({"agent/spool", notice});
  FM_TRY(writeRecord(entry, RecordType::kCompletion, 0, rpc::encodeCompletion(completion)));
  entry.completion = std::move(completion);
  entry.file.reset();
  return {};
}

// An entry whose file holds nothing that isn't elsewhere.
void Spool::forgetLocked(SpoolKey key) {
  auto found = entries_.find(key);
  std::error_code failed;
  fs::remove(found->second.path, failed);
  if (!failed) total_ -= found->second.size;
  entries_.erase(found);
}

}  // namespace fleetmark::agent::core
