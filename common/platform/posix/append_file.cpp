#include "common/platform/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fleetmark::platform {

namespace {

base::Error failure(const std::string& what, const std::string& path, int code) {
  std::string message = "cannot " + what + " " + path + ": " + std::strerror(code);
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return base::overloaded(message + "; free some space there");
    case EFBIG:
      return base::overloaded(message + "; raise the file size limit (ulimit -f)");
    case EEXIST:
      return base::conflict(message);
    case ENOENT:
      return base::notFound(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return base::denied(message + "; choose a folder that this user may write");
    default:
      return base::unavailable(message);
  }
}

class PosixAppendFile final : public AppendFile {
 public:
  PosixAppendFile(std::string path, int fd, std::int64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  PosixAppendFile(const PosixAppendFile&) = delete;
  PosixAppendFile& operator=(const PosixAppendFile&) = delete;
  ~PosixAppendFile() override { ::close(fd_); }

  base::Status append(std::string_view bytes) override {
    if (broken_) return base::unavailable(path_ + " holds half a record; no more is appended");
    std::size_t done = 0;
    while (done < bytes.size()) {
      ssize_t count = ::write(fd_, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        int code = count < 0 ? errno : EIO;
        if (::ftruncate(fd_, size_) != 0) broken_ = true;
        return failure("append to", path_, code);
      }
      done += static_cast<std::size_t>(count);
    }
    size_ += static_cast<std::int64_t>(done);
    return {};
  }

  base::Status sync() override {
    if (::fdatasync(fd_) != 0) return failure("sync", path_, errno);
    return {};
  }

  base::Status truncate(std::int64_t size) override {
    if (::ftruncate(fd_, size) != 0) return failure("cut", path_, errno);
    size_ = size;
    broken_ = false;
    return {};
  }

  std::int64_t size() const override { return size_; }

 private:
  std::string path_;
  int fd_;
  std::int64_t size_;
  bool broken_ = false;
};

base::Status syncFolderOf(const std::string& path) {
  auto slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  if (folder.empty()) folder = "/";
  int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure("open folder", folder, errno);
  int code = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  if (code != 0) return failure("sync folder", folder, code);
  return {};
}

}  // namespace

base::Result<std::unique_ptr<AppendFile>> openAppendFile(const std::string& path, AppendOpen how) {
  int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  if (how == AppendOpen::kCreate) flags |= O_CREAT | O_EXCL;
  int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0) return failure("open", path, errno);
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    int code = errno;
    ::close(fd);
    return failure("look at", path, code);
  }
  std::unique_ptr<AppendFile> file =
      std::make_unique<PosixAppendFile>(path, fd, static_cast<std::int64_t>(status.st_size));
  if (how == AppendOpen::kCreate) {
    FM_TRY(syncFolderOf(path));
  }
  return file;
}

}  // namespace fleetmark::platform
