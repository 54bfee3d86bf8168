#include "common/platform/linux/kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace fleetmark::platform {

namespace {

// Field 5 of /proc/PID/stat; the name in field 2 may hold blanks and brackets.
bool runsInGroup(const char* pid, pid_t group) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  char text[512];
  ssize_t got = ::read(file.get(), text, sizeof text - 1);
  if (got <= 0) return false;
  std::string_view line(text, static_cast<std::size_t>(got));
  auto end = line.rfind(')');
  if (end == std::string_view::npos) return false;
  char state = 0;
  int parent = 0;
  int found = 0;
  text[got] = '\0';
  if (std::sscanf(text + end + 1, " %c %d %d", &state, &parent, &found) != 3) return false;
  return found == group && state != 'Z' && state != 'X';
}

}  // namespace

void dieWithParent(int signal) { ::prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

void closeOnExecFrom(int lowest) {
  if (::syscall(SYS_close_range, static_cast<unsigned>(lowest), UINT_MAX, CLOSE_RANGE_CLOEXEC) ==
      0) {
    return;
  }
  long limit = ::sysconf(_SC_OPEN_MAX);
  for (int fd = lowest; fd < limit; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int setCredentials(uid_t uid, gid_t gid, const gid_t* groups, std::size_t count) {
  if (::syscall(SYS_setgroups, count, groups) != 0) return errno;
  if (::syscall(SYS_setresgid, gid, gid, gid) != 0) return errno;
  if (::syscall(SYS_setresuid, uid, uid, uid) != 0) return errno;
  return 0;
}

Fd openProcess(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));  // closes on exec by itself
}

std::optional<pid_t> otherOfGroup(pid_t group) {
  DIR* processes = ::opendir("/proc");
  if (processes == nullptr) return std::nullopt;
  std::optional<pid_t> found;
  while (const dirent* entry = ::readdir(processes)) {
    char* end = nullptr;
    long pid = std::strtol(entry->d_name, &end, 10);
    if (*end != '\0' || pid <= 0 || pid == group) continue;
    if (runsInGroup(entry->d_name, group)) {
      found = static_cast<pid_t>(pid);
      break;
    }
  }
  ::closedir(processes);
  return found;
}

std::string executablePath() {
  char path[PATH_MAX];
  ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace fleetmark::platform
