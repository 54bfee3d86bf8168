// What was measured stands on this disk before anyone is told of it, and stays until the
// coordinator has answered for it. One file per attempt in the spool folder (mode 0600: it holds
// the lease's token), records as in spool_record.h.
//
//   begin -> append* -> complete        by the thread that runs the step
//   entries, chunk, completion -> drop  by the uploader
//
// A file that is spoiled in the middle, or that the coordinator refuses for good, is moved to
// set-aside/ in the folder and named in the log; nothing is deleted that wasn't acknowledged.
// All calls are safe on any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/spool_record.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/base/units.h"
#include "common/model/work.h"
#include "common/platform/append_file.h"

namespace fleetmark::agent::core {

struct SpoolOptions {
  std::string folder;
  base::Bytes most{256 * base::kMiB};     // of all files, those set aside included
  base::Bytes keepFree{32 * base::kMiB};  // on the file system; less: no new work
};

using SpoolKey = std::uint64_t;  // of one start of the agent

struct SpoolEntry {
  SpoolKey key = 0;
  model::Assignment assignment;
  std::uint32_t chunks = 0;
  bool completed = false;
  bool recovered = false;  // from an earlier start of the agent
};

class Spool {
 public:
  // Makes the folder, reads what an earlier start left and repairs or sets aside what is damaged;
  // each such thing is one line of notices(). A file that can't be read fails the open.
  static base::Result<std::unique_ptr<Spool>> open(SpoolOptions options, const base::Clock& clock);
  const std::vector<std::string>& notices() const { return notices_; }

  // kOverloaded says why no new attempt may begin now: the bound or the disk.
  base::Status admit() const;

  // After Ok the assignment is on the disk.
  base::Result<SpoolKey> begin(const model::Assignment& assignment);
  // After Ok the chunk is on the disk. Numbers go 0, 1, 2, ...; kOverloaded: no space; the chunk
  // is then not part of the attempt.
  base::Status append(SpoolKey key, const model::SampleChunk& chunk);
  // The attempt is over. When the disk refuses it, the completion is kept in memory and reported
  // as usual, and the error is returned for the log.
  base::Status complete(SpoolKey key, const model::Completion& completion);

  std::vector<SpoolEntry> entries() const;  // oldest first
  std::optional<SpoolEntry> entry(SpoolKey key) const;
  // kNotFound: no such entry or number; kInvalid: what was read back fails its checksum.
  base::Result<model::SampleChunk> chunk(SpoolKey key, std::uint32_t number) const;
  base::Result<model::Completion> completion(SpoolKey key) const;

  base::Status drop(SpoolKey key);
  base::Status setAside(SpoolKey key, const std::string& reason);

  // Grows with every begin, append, complete, drop and setAside, and with wake().
  std::uint64_t version() const;
  // Returns once version() differs from `seen`, at the latest after `limit`.
  void waitForChange(std::uint64_t seen, base::Nanos limit) const;
  void wake();

 private:
  struct Entry {
    std::string path;
    model::Assignment assignment;
    std::vector<RecordRef> chunks;
    std::optional<model::Completion> completion;
    std::unique_ptr<platform::AppendFile> file;  // while the attempt is open
    std::int64_t size = 0;
    bool recovered = false;
  };

  Spool(SpoolOptions options, const base::Clock& clock)
      : options_(std::move(options)), clock_(clock) {}
  base::Status recover();
  base::Status recoverFile(const std::string& path);
  base::Status rebuild(const std::string& path, const std::string& bytes, const SpoolScan& scan);
  base::Status copyLocked(Entry& entry, const std::string& bytes, const SpoolScan& scan,
                          const std::string& notice);
  void forgetLocked(SpoolKey key);
  void adopt(Entry entry);
  base::Result<SpoolKey> beginLocked(const model::Assignment& assignment);
  base::Status writeRecord(Entry& entry, RecordType type, std::uint32_t number,
                           const std::string& payload);
  base::Result<std::string> moveAside(const std::string& path);
  base::Status roomLocked(std::int64_t more) const;
  void changed();

  SpoolOptions options_;
  const base::Clock& clock_;
  std::vector<std::string> notices_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<SpoolKey, Entry> entries_;
  SpoolKey nextKey_ = 1;
  std::int64_t total_ = 0;  // bytes of all files
  std::uint64_t version_ = 0;
};

}  // namespace fleetmark::agent::core
