#include "common/platform/posix/fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/platform/posix/errors.h"

namespace fleetmark::platform {

namespace {

Fd aboveStandard(int fd) {
  if (fd > 2) return Fd(fd);
  int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  return Fd(moved);
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

base::Result<Pipe> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fromErrno(errno, "can't make a pipe");
  Pipe pipe{aboveStandard(ends[0]), aboveStandard(ends[1])};
  if (!pipe.readEnd || !pipe.writeEnd) return fromErrno(errno, "can't make a pipe");
  return pipe;
}

int writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace fleetmark::platform
