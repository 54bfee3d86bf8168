#include "agent/platform/linux/direct_io_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "agent/platform/aligned_buffer.h"
#include "agent/platform/linux/proc_text.h"
#include "agent/platform/linux/read_text.h"
#include "common/base/hex.h"
#include "common/base/random.h"
#include "common/platform/files.h"
#include "common/platform/posix/errors.h"
#include "common/platform/posix/fd.h"

namespace fleetmark::agent::linux_os {

namespace {

using platform::Fd;
using platform::fromErrno;

constexpr std::string_view kPrefix = ".fleetmark-disk-";
constexpr std::array<std::string_view, 5> kMemoryTypes{"tmpfs", "ramfs", "devtmpfs", "rootfs",
                                                       "hugetlbfs"};

// Some file systems answer misaligned access out of the page cache instead of refusing it.
base::Status checkAligned(const std::uint8_t* memory, std::size_t size, std::int64_t offset) {
  const auto bits =
      reinterpret_cast<std::uintptr_t>(memory) | size | static_cast<std::uintptr_t>(offset);
  if (bits % AlignedBuffer::kAlignment == 0) return {};
  return base::invalid("direct I/O of " + std::to_string(size) + " bytes at byte " +
                       std::to_string(offset) + " isn't aligned to 4096 bytes");
}

class LinuxDirectFile final : public DirectFile {
 public:
  LinuxDirectFile(Fd file, std::int64_t size) : file_(std::move(file)), size_(size) {}

  std::optional<DirectAlignment> alignment() const override {
#ifdef STATX_DIOALIGN
    struct statx about {};
    if (::statx(file_.get(), "", AT_EMPTY_PATH, STATX_DIOALIGN, &about) == 0 &&
        (about.stx_mask & STATX_DIOALIGN) != 0) {
      return DirectAlignment{about.stx_dio_mem_align, about.stx_dio_offset_align};
    }
#endif
    return std::nullopt;
  }

  base::Result<std::size_t> read(std::span<std::uint8_t> into, std::int64_t offset) override {
    FM_TRY(checkAligned(into.data(), into.size(), offset));
    for (;;) {
      ssize_t got = ::pread(file_.get(), into.data(), into.size(), offset);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fromErrno(errno, "direct read at byte " + std::to_string(offset));
    }
  }

  base::Result<std::size_t> write(std::span<const std::uint8_t> from,
                                  std::int64_t offset) override {
    FM_TRY(checkAligned(from.data(), from.size(), offset));
    for (;;) {
      ssize_t put = ::pwrite(file_.get(), from.data(), from.size(), offset);
      if (put >= 0) return static_cast<std::size_t>(put);
      if (errno != EINTR) return fromErrno(errno, "direct write at byte " + std::to_string(offset));
    }
  }

  base::Status flush() override {
    if (::fdatasync(file_.get()) != 0) return fromErrno(errno, "flushing the measured file");
    return {};
  }

  base::Result<double> residency() override {
    constexpr std::int64_t kWindow = base::kGiB;  // bounds the mapping and the answer
    const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages;
    std::int64_t resident = 0;
    std::int64_t total = 0;
    for (std::int64_t at = 0; at < size_; at += kWindow) {
      auto length = static_cast<std::size_t>(std::min(kWindow, size_ - at));
      void* mapped = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file_.get(), at);
      if (mapped == MAP_FAILED) return fromErrno(errno, "mapping the measured file");
      pages.assign((length + static_cast<std::size_t>(page) - 1) / static_cast<std::size_t>(page),
                   0);
      int failed = ::mincore(mapped, length, pages.data()) != 0 ? errno : 0;
      ::munmap(mapped, length);
      if (failed != 0) return fromErrno(failed, "asking which pages are cached");
      for (auto one : pages) resident += one & 1;
      total += static_cast<std::int64_t>(pages.size());
    }
    return total == 0 ? 0.0 : static_cast<double>(resident) / static_cast<double>(total);
  }

 private:
  Fd file_;
  std::int64_t size_;
};

base::Error cannotCreate(int error, const std::string& folder, const std::string& type) {
  std::string what = "can't create a file in '" + folder + "' (" + type + ")";
  if (error == EINVAL || error == EOPNOTSUPP) {
    return base::unsupported(what +
                             " for direct I/O: the file system refuses to bypass its cache; "
                             "use a folder on a file system that supports it (ext4, xfs)");
  }
  return fromErrno(error, what, "use a folder that this user can write to");
}

// Without O_TMPFILE the name goes at once. A process killed in between leaves a file that nobody
// holds locked: removeStale knows it by that.
base::Result<Fd> openNamed(const std::string& folder, const std::string& type) {
  std::string path =
      folder + "/" + std::string(kPrefix) + base::toHex(base::secureRandomBytes(8)) + ".tmp";
  Fd file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    int error = errno;
    ::unlink(path.c_str());  // some file systems create it before they refuse O_DIRECT
    return cannotCreate(error, folder, type);
  }
  ::flock(file.get(), LOCK_EX | LOCK_NB);
  if (::unlink(path.c_str()) != 0) return fromErrno(errno, "can't unname '" + path + "'");
  return file;
}

base::Result<Fd> openUnnamed(const std::string& folder, const std::string& type) {
  Fd file(::open(folder.c_str(), O_RDWR | O_TMPFILE | O_EXCL | O_DIRECT | O_CLOEXEC, 0600));
  if (file) return file;
  switch (errno) {
    case EOPNOTSUPP:
    case EISDIR:
    case EINVAL:
      return openNamed(folder, type);
    default:
      return cannotCreate(errno, folder, type);
  }
}

// In a chroot the mount that holds the root isn't in the table; the kernel still tells the type.
base::Result<FileSystemFacts> fileSystemWithoutMount(const std::string& folder) {
  struct Known {
    std::uint64_t magic;  // statfs(2)
    const char* name;
  };
  static constexpr Known kKnown[] = {
      {0xef53, "ext4"},      {0x58465342, "xfs"},     {0x9123683e, "btrfs"}, {0x01021994, "tmpfs"},
      {0x858458f6, "ramfs"}, {0x794c7630, "overlay"}, {0x6969, "nfs"},       {0x65735546, "fuse"},
      {0x2fc12fc1, "zfs"},   {0xf2f52010, "f2fs"},
  };
  struct statfs about {};
  if (::statfs(folder.c_str(), &about) != 0) {
    return fromErrno(errno, "can't ask what file system holds '" + folder + "'");
  }
  FileSystemFacts out;
  for (const auto& known : kKnown) {
    if (known.magic == static_cast<std::uint64_t>(about.f_type)) out.type = known.name;
  }
  if (out.type.empty()) {
    return base::unsupported("the mount table doesn't say what holds '" + folder +
                             "', and its file system is of a type not known here; use a folder "
                             "on ext4, xfs or btrfs");
  }
  for (auto type : kMemoryTypes) out.memoryBacked |= out.type == type;
  auto flags = static_cast<unsigned long>(about.f_flags);
  out.readOnly = (flags & ST_RDONLY) != 0;
  out.options = out.readOnly ? "ro" : "rw";
  for (const auto& [flag, name] : {std::pair{ST_NOSUID, ",nosuid"},
                                   {ST_NODEV, ",nodev"},
                                   {ST_NOEXEC, ",noexec"},
                                   {ST_SYNCHRONOUS, ",sync"},
                                   {ST_NOATIME, ",noatime"},
                                   {ST_RELATIME, ",relatime"}}) {
    if ((flags & static_cast<unsigned long>(flag)) != 0) out.options += name;
  }
  return out;
}

}  // namespace

base::Result<FileSystemFacts> LinuxDirectIo::fileSystem(const std::string& folder) {
  struct stat about {};
  if (::stat(folder.c_str(), &about) != 0) {
    return fromErrno(errno, "can't use folder '" + folder + "'",
                     "create it or give the path of another one");
  }
  if (!S_ISDIR(about.st_mode)) {
    return base::invalid("'" + folder + "' is no folder; give the path of one");
  }
  char resolved[PATH_MAX];
  if (::realpath(folder.c_str(), resolved) == nullptr) {
    return fromErrno(errno, "can't resolve '" + folder + "'");
  }
  auto text = readText("/proc/self/mountinfo");
  if (!text) return base::unsupported("can't read /proc/self/mountinfo; is /proc mounted?");
  auto mounts = parseMountInfo(*text);
  const Mount* mount = mountOf(mounts, resolved);
  if (mount == nullptr) return fileSystemWithoutMount(resolved);
  FileSystemFacts out;
  out.type = mount->type;
  out.mountPoint = mount->point;
  out.options = mount->options + (mount->superOptions.empty() ? "" : "," + mount->superOptions);
  out.device = mount->source;
  for (auto type : kMemoryTypes) out.memoryBacked |= mount->type == type;
  out.readOnly = ("," + out.options + ",").find(",ro,") != std::string::npos;
  return out;
}

base::Result<base::Bytes> LinuxDirectIo::freeSpace(const std::string& folder) {
  FM_TRY_ASSIGN(auto count, platform::freeBytes(folder));
  return base::Bytes{count};
}

base::Result<std::unique_ptr<DirectFile>> LinuxDirectIo::create(const std::string& folder,
                                                                base::Bytes size) {
  FM_TRY_ASSIGN(auto facts, fileSystem(folder));
  FM_TRY_ASSIGN(Fd file, openUnnamed(folder, facts.type));
  int failed = ::fallocate(file.get(), 0, 0, size.count) != 0 ? errno : 0;
  if (failed == EOPNOTSUPP || failed == EINVAL) {
    failed = ::ftruncate(file.get(), size.count) != 0 ? errno : 0;
  }
  if (failed != 0) {
    return fromErrno(
        failed,
        "can't reserve " + base::formatBytes(size) + " in '" + folder + "' (" + facts.type + ")",
        "free some space, or use a smaller 'file' or another 'path'");
  }
  return std::unique_ptr<DirectFile>(
      std::make_unique<LinuxDirectFile>(std::move(file), size.count));
}

base::Result<IoCounters> LinuxDirectIo::counters() {
  auto text = readText("/proc/self/io");
  auto found = text ? parseProcIo(*text) : std::nullopt;
  if (!found) return base::unsupported("this kernel doesn't count a process's I/O (/proc/self/io)");
  return IoCounters{base::Bytes{found->readBytes}, base::Bytes{found->writeBytes}};
}

base::Result<std::vector<std::string>> LinuxDirectIo::removeStale(const std::string& folder) {
  std::vector<std::string> removed;
  DIR* entries = ::opendir(folder.c_str());
  if (entries == nullptr) return fromErrno(errno, "can't list '" + folder + "'");
  while (const dirent* entry = ::readdir(entries)) {
    std::string_view name = entry->d_name;
    if (name.substr(0, kPrefix.size()) != kPrefix) continue;
    std::string path = folder + "/" + std::string(name);
    Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_uid != ::geteuid()) {
      continue;
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its owner lives
    if (::unlink(path.c_str()) == 0) removed.push_back(path);
  }
  ::closedir(entries);
  return removed;
}

}  // namespace fleetmark::agent::linux_os
