#include "common/platform/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "common/base/clock.h"
#include "common/platform/linux/kernel.h"
#include "common/platform/posix/errors.h"
#include "common/platform/posix/fd.h"

namespace fleetmark::platform {

namespace {

using namespace std::chrono_literals;

constexpr int kRoundMs = 50;  // a handle may be missing, and a killed process may have forked
constexpr base::Nanos kOwnEnd = 1s;

struct StatLine {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = 0;
  unsigned long long started = 0;  // with the pid: names a process for good
  std::string name;
  bool alive() const { return state != 'Z' && state != 'X'; }
};

std::optional<StatLine> readStat(pid_t pid) {
  Fd file(::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  char text[1024];
  ssize_t got = ::read(file.get(), text, sizeof text - 1);
  if (got <= 0) return std::nullopt;
  text[got] = '\0';
  std::string_view line(text, static_cast<std::size_t>(got));
  auto begin = line.find('(');
  auto end = line.rfind(')');  // the name may hold blanks and brackets
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  StatLine out;
  out.pid = pid;
  out.name = std::string(line.substr(begin + 1, end - begin - 1));
  // Fields 3, 4 and 22.
  if (std::sscanf(text + end + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  &out.state, &out.parent, &out.started) != 3) {
    return std::nullopt;
  }
  return out;
}

// Zombies included.
std::vector<StatLine> readTree() {
  std::vector<StatLine> all;
  DIR* processes = ::opendir("/proc");
  if (processes == nullptr) return all;
  while (const dirent* entry = ::readdir(processes)) {
    char* end = nullptr;
    long pid = std::strtol(entry->d_name, &end, 10);
    if (*end != '\0' || pid <= 0) continue;
    if (auto line = readStat(static_cast<pid_t>(pid))) all.push_back(std::move(*line));
  }
  ::closedir(processes);
  std::vector<StatLine> tree;
  std::vector<pid_t> parents{::getpid()};
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (auto& line : all) {
      if (line.parent != parents[i] || line.pid == ::getpid()) continue;
      parents.push_back(line.pid);
      tree.push_back(line);
    }
  }
  return tree;
}

// Returns a handle that is readable once the process has ended; empty: none, or it is gone.
Fd killOne(const StatLine& line) {
  Fd handle = openProcess(line.pid);
  auto now = readStat(line.pid);
  if (!now || now->started != line.started) return Fd();  // the number belongs to another by now
  if (!handle) {
    ::kill(line.pid, SIGKILL);
    return Fd();
  }
  ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
  return handle;
}

void waitForAny(const std::vector<Fd>& handles, base::Nanos limit) {
  std::vector<pollfd> items;
  for (const auto& handle : handles) {
    if (handle) items.push_back({handle.get(), POLLIN, 0});
  }
  auto left = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
  ::poll(items.data(), items.size(), static_cast<int>(std::clamp<long>(left, 1, kRoundMs)));
}

}  // namespace

base::Status adoptOrphans() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0) return {};
  return base::unsupported(
      fromErrno(errno, "this kernel gives no orphans to their ancestor").message);
}

bool adoptsOrphans() {
  int adopts = 0;
  return ::prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0) == 0 && adopts != 0;
}

std::vector<TreeProcess> descendants() {
  std::vector<TreeProcess> out;
  for (auto& line : readTree()) {
    if (line.alive()) out.push_back({line.pid, std::move(line.name)});
  }
  return out;
}

TreeEnd endDescendants(base::Nanos limit) {
  base::SystemClock clock;
  const auto until = clock.mono() + limit;
  TreeEnd out;
  for (;;) {
    out.left.clear();
    auto tree = readTree();
    std::vector<Fd> handles;
    for (const auto& line : tree) {
      if (!line.alive()) {
        if (line.parent == ::getpid()) ::waitpid(line.pid, nullptr, WNOHANG);
        continue;
      }
      TreeProcess process{line.pid, line.name};
      out.left.push_back(process);
      handles.push_back(killOne(line));
      if (std::find(out.killed.begin(), out.killed.end(), process) == out.killed.end()) {
        out.killed.push_back(process);
      }
    }
    if (tree.empty()) return out;
    auto left = until - clock.mono();
    if (left <= 0ns) return out;
    if (!handles.empty()) waitForAny(handles, left);
  }
}

void endWithDescendants(int code) {
  endDescendants(kOwnEnd);
  if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
  ::_exit(code);
}

}  // namespace fleetmark::platform
