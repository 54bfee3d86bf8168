// A file that is read and written past the operating system's page cache, and the means to prove
// that it was.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"

namespace fleetmark::agent {

struct FileSystemFacts {
  // "ext4", "tmpfs", ... as the mount table says. In a chroot, whose table lacks its own root, as
  // the kernel says (ext2 and ext3 are "ext4" then): options has the mount's alone, mountPoint and
  // device are empty.
  std::string type;
  std::string mountPoint;
  std::string options;        // mount and super block options, comma-separated
  std::string device;         // as the mount table says
  bool memoryBacked = false;  // content never leaves memory: tmpfs, ramfs and the like
  bool readOnly = false;
};

// Bytes that this process made the block layer move. A cache hit moves none.
struct IoCounters {
  base::Bytes read;
  base::Bytes written;
};

// What the file system demands of direct I/O, in bytes; 0, 0: it offers none for this file.
struct DirectAlignment {
  std::uint32_t memory = 0;
  std::uint32_t offset = 0;
};

// One owner, one thread. The file has no name, or loses it at once: whatever ends the process
// gives the space back.
class DirectFile {
 public:
  virtual ~DirectFile() = default;
  // Absent: the kernel or file system doesn't say.
  virtual std::optional<DirectAlignment> alignment() const = 0;
  // Buffer, size and offset are multiples of 4 KiB (AlignedBuffer), else kInvalid. Returns the
  // bytes moved, which can be fewer. kUnavailable: an I/O error or no space, with the system's
  // words.
  virtual base::Result<std::size_t> read(std::span<std::uint8_t> into, std::int64_t offset) = 0;
  virtual base::Result<std::size_t> write(std::span<const std::uint8_t> from,
                                          std::int64_t offset) = 0;
  // Content and the metadata needed to find it are on stable storage, as far as the device tells.
  virtual base::Status flush() = 0;
  // Share of the file's pages in the page cache, 0 to 1.
  virtual base::Result<double> residency() = 0;
};

class DirectIo {
 public:
  virtual ~DirectIo() = default;
  // kNotFound: no such folder; kInvalid: no folder.
  virtual base::Result<FileSystemFacts> fileSystem(const std::string& folder) = 0;
  // For this user.
  virtual base::Result<base::Bytes> freeSpace(const std::string& folder) = 0;
  // Reserves `size` where the file system can. kUnsupported: it refuses to bypass its cache;
  // kDenied: not writable; kUnavailable: no space.
  virtual base::Result<std::unique_ptr<DirectFile>> create(const std::string& folder,
                                                           base::Bytes size) = 0;
  virtual base::Result<IoCounters> counters() = 0;
  // Removes files that an earlier process made with create() and was killed before it could
  // unname; those of living processes stay. Returns the paths removed.
  virtual base::Result<std::vector<std::string>> removeStale(const std::string& folder) = 0;
};

}  // namespace fleetmark::agent
