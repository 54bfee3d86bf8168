#include "common/platform/files.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "common/base/hex.h"
#include "common/base/random.h"
#include "common/platform/posix/errors.h"
#include "common/platform/posix/fd.h"

namespace fleetmark::platform {

namespace {

namespace fs = std::filesystem;

std::string parentOf(const std::string& path) {
  auto parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

base::Status syncFolder(const std::string& path) {
  Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fromErrno(errno, "can't open folder '" + path + "'");
  // Some file systems refuse to sync a folder; the file itself is durable then.
  if (::fsync(folder.get()) != 0 && errno != EINVAL && errno != EROFS) {
    return fromErrno(errno, "can't sync folder '" + path + "'");
  }
  return {};
}

base::Status fillAndRename(int fd, const std::string& temporary, const std::string& path,
                           const std::string& content, mode_t mode) {
  if (::fchmod(fd, mode) != 0) return fromErrno(errno, "can't set the mode of '" + temporary + "'");
  if (int error = writeAll(fd, content); error != 0) {
    return fromErrno(error, "can't write '" + temporary + "'");
  }
  if (::fsync(fd) != 0) return fromErrno(errno, "can't sync '" + temporary + "'");
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return fromErrno(errno, "can't rename '" + temporary + "' to '" + path + "'");
  }
  return {};
}

base::Status writeWhole(const std::string& path, const std::string& content, mode_t mode) {
  std::string temporary = path + ".tmp-" + base::toHex(base::secureRandomBytes(6));
  Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fromErrno(errno, "can't create '" + temporary + "'");
  auto done = fillAndRename(file.get(), temporary, path, content, mode);
  if (!done) {
    ::unlink(temporary.c_str());
    return done;
  }
  return syncFolder(parentOf(path));
}

class FlockedFile final : public FileLock {
 public:
  explicit FlockedFile(Fd file) : file_(std::move(file)) {}

 private:
  Fd file_;  // closing it gives the lock back; the file stays, or two owners could race
};

}  // namespace

base::Status makeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fromErrno(error.value(), "can't make folder '" + path + "'");
  return {};
}

base::Status makePrivateFolder(const std::string& path) {
  if (path.empty()) return base::invalid("the path of a folder is empty; give one");
  std::string missing;
  int refused = 0;
  for (const auto& part : fs::path(path)) {
    missing = missing.empty() ? part.string() : (fs::path(missing) / part).string();
    if (::mkdir(missing.c_str(), 0700) != 0 && errno != EEXIST) refused = errno;
  }
  Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    int error = errno == ENOENT && refused != 0 ? refused : errno;
    return fromErrno(error, "can't make or open folder '" + path + "'");
  }
  struct stat about {};
  if (::fstat(folder.get(), &about) != 0) return fromErrno(errno, "can't look at '" + path + "'");
  if (about.st_uid != ::geteuid()) {
    return base::denied("folder '" + path + "' belongs to user " + std::to_string(about.st_uid) +
                        ", this process runs as user " + std::to_string(::geteuid()) +
                        "; use another folder or change its owner");
  }
  if ((about.st_mode & 0777) != 0700 && ::fchmod(folder.get(), 0700) != 0) {
    return fromErrno(errno, "can't make folder '" + path + "' private");
  }
  return {};
}

base::Status writePrivateFile(const std::string& path, const std::string& content) {
  return writeWhole(path, content, 0600);
}

base::Status writePublicFile(const std::string& path, const std::string& content) {
  return writeWhole(path, content, 0644);
}

base::Result<std::string> readFile(const std::string& path, std::size_t maxBytes) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return fromErrno(errno, "can't open '" + path + "'");
  std::string content;
  std::vector<char> buffer(64 * 1024);
  for (;;) {
    ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fromErrno(errno, "can't read '" + path + "'");
    if (got == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(got));
    if (content.size() > maxBytes) {
      return base::invalid("'" + path + "' is longer than " + std::to_string(maxBytes) +
                           " bytes, the most that is read; is it the right file?");
    }
  }
}

base::Result<std::string> makeTemporaryFolder(const std::string& prefix) {
  const char* wanted = std::getenv("TMPDIR");
  // Socket paths hold 107 bytes: a long TMPDIR would break what is put in the folder.
  std::string root = wanted != nullptr && *wanted == '/' && std::string_view(wanted).size() <= 40
                         ? wanted
                         : "/tmp";
  std::string path = (fs::path(root) / (prefix + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) {
    return fromErrno(errno, "can't make a temporary folder in '" + root + "'");
  }
  return path;
}

base::Status removeTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return fromErrno(error.value(), "can't remove '" + path + "'");
  return {};
}

base::Status changeOwner(const std::string& path, const std::string& user) {
  std::vector<char> buffer(64 * 1024);
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (int error = ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
      error != 0) {
    return fromErrno(error, "can't look up user '" + user + "'");
  }
  if (found == nullptr) return base::notFound("no user '" + user + "' on this host; create it");
  auto give = [&](const std::string& item) -> base::Status {
    if (::lchown(item.c_str(), entry.pw_uid, entry.pw_gid) != 0) {
      return fromErrno(errno, "can't give '" + item + "' to user '" + user + "'");
    }
    return {};
  };
  FM_TRY(give(path));
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(path, error))) {
    fs::recursive_directory_iterator items(path, error);
    for (; !error && items != fs::recursive_directory_iterator(); items.increment(error)) {
      FM_TRY(give(items->path().string()));
    }
  }
  if (error) return fromErrno(error.value(), "can't walk '" + path + "'");
  return {};
}

bool exists(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0;
}

base::Result<std::int64_t> freeBytes(const std::string& path) {
  struct statvfs about {};
  if (::statvfs(path.c_str(), &about) != 0) {
    return fromErrno(errno, "can't ask for the free space of '" + path + "'");
  }
  return static_cast<std::int64_t>(about.f_bavail) * static_cast<std::int64_t>(about.f_frsize);
}

base::Result<std::unique_ptr<FileLock>> lockFile(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fromErrno(errno, "can't open lock file '" + path + "'");
  int locked = 0;
  do {
    locked = ::flock(file.get(), LOCK_EX | LOCK_NB);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) {
    if (errno != EWOULDBLOCK) return fromErrno(errno, "can't lock '" + path + "'");
    char text[24] = {};
    ssize_t got = ::pread(file.get(), text, sizeof text - 1, 0);
    std::string holder(text, got > 0 ? static_cast<std::size_t>(got) : 0);
    holder = holder.substr(0, holder.find_first_not_of("0123456789"));
    return base::conflict("'" + path + "' is locked by " +
                          (holder.empty() ? "another process" : "process " + holder) +
                          "; end it first or use another folder");
  }
  std::string owner = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size())) {
    return fromErrno(errno, "can't write the owner into '" + path + "'");
  }
  return std::unique_ptr<FileLock>(std::make_unique<FlockedFile>(std::move(file)));
}

}  // namespace fleetmark::platform
