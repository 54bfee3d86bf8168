#include "common/platform/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/platform/linux/kernel.h"
#include "common/platform/posix/child_process.h"
#include "common/platform/posix/errors.h"
#include "common/platform/posix/wait.h"
#include "common/platform/standard_input.h"

namespace fleetmark::platform {

namespace {

using namespace std::chrono_literals;

// A process in an uninterruptible system call outlives SIGKILL; its owner must not.
constexpr base::Nanos kReapLimit = 10s;
constexpr base::Nanos kPollWithoutHandle = 5ms;

bool pollFor(int fd, short events, base::Nanos limit) {
  base::SystemClock clock;
  const auto start = clock.mono();
  for (;;) {
    auto left = std::max(base::Nanos(0), limit - (clock.mono() - start));
    auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    timespec wait{static_cast<time_t>(seconds.count()),
                  static_cast<long>((left - seconds).count())};
    pollfd item{fd, events, 0};
    int ready = ::ppoll(&item, 1, &wait, nullptr);
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return false;
  }
}

base::Result<Process::Read> readFd(int fd, std::size_t most, base::Nanos limit,
                                   const std::string& what) {
  Process::Read out;
  out.bytes.resize(std::min<std::size_t>(most, 1 << 20));
  for (;;) {
    if (!pollFor(fd, POLLIN, limit)) {
      out.bytes.clear();
      out.timedOut = true;
      return out;
    }
    ssize_t got = ::read(fd, out.bytes.data(), out.bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fromErrno(errno, "can't read from " + what);
    out.bytes.resize(static_cast<std::size_t>(got));
    out.eof = got == 0;
    return out;
  }
}

base::Result<Process::Read> readFrom(const Fd& fd, std::size_t most, base::Nanos limit) {
  if (!fd) {
    return base::invalid("this stream of the child isn't a pipe; ask for it in SpawnOptions");
  }
  return readFd(fd.get(), most, limit, "the child");
}

// write() without the SIGPIPE that it may raise on this thread.
int writeQuietly(int fd, std::string_view bytes) {
  sigset_t pipeOnly;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipeOnly);
  sigaddset(&pipeOnly, SIGPIPE);
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &pipeOnly, &before);
  int error = writeAll(fd, bytes);
  if (error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    timespec none{0, 0};
    while (::sigtimedwait(&pipeOnly, nullptr, &none) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

bool pollUntilReady(int fd, base::Nanos limit) { return pollFor(fd, POLLIN, limit); }

std::string ExitStatus::describe() const {
  return (signalled ? "killed by signal " : "exit code ") + std::to_string(code);
}

ChildProcess::ChildProcess(pid_t pid, Signalling signalling, Streams streams)
    : pid_(pid), signalling_(signalling), handle_(openProcess(pid)), streams_(std::move(streams)) {}

ChildProcess::~ChildProcess() {
  killTree();
  if (!wait(kReapLimit)) {
    base::log(base::LogLevel::kWarning, "process.stuck",
              {{"pid", static_cast<std::int64_t>(pid_)}, {"after", "SIGKILL"}});
  }
  // Others of the group may need a moment to die; nothing of them is ours to reap.
  if (!reaped_) ::waitpid(pid_, nullptr, WNOHANG);
}

void ChildProcess::look() {
  if (!ended_) {
    siginfo_t info{};
    int found = 0;
    do {
      found = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    } while (found != 0 && errno == EINTR);
    if (found != 0) {
      // Somebody else reaped it (SIGCHLD ignored): the end is known, the code isn't.
      ended_ = ExitStatus{false, 255};
      reaped_ = true;
      return;
    }
    if (info.si_pid != pid_) return;
    ended_ = ExitStatus{info.si_code != CLD_EXITED, info.si_status};
  }
  if (!reaped_ && (signalling_ == Signalling::kProcess || !otherOfGroup(pid_))) {
    reaped_ = ::waitpid(pid_, nullptr, WNOHANG) == pid_;
  }
}

std::optional<ExitStatus> ChildProcess::wait(base::Nanos limit) {
  base::SystemClock clock;
  const auto start = clock.mono();
  for (;;) {
    {
      std::scoped_lock lock(mutex_);
      if (!ended_) look();
      if (ended_) return ended_;
    }
    auto left = limit - (clock.mono() - start);
    if (left <= base::Nanos(0)) return std::nullopt;
    if (handle_) {
      pollFor(handle_.get(), POLLIN, left);
    } else {
      pollFor(-1, 0, std::min(left, kPollWithoutHandle));
    }
  }
}

void ChildProcess::send(int signal, Signalling to) {
  std::scoped_lock lock(mutex_);
  if (reaped_) return;
  ::kill(to == Signalling::kGroup ? -pid_ : pid_, signal);
}

void ChildProcess::terminate() { send(SIGTERM, signalling_); }
void ChildProcess::interrupt() { send(SIGINT, Signalling::kProcess); }
void ChildProcess::killTree() { send(SIGKILL, signalling_); }

bool ChildProcess::groupAlive() {
  std::scoped_lock lock(mutex_);
  if (reaped_ || signalling_ == Signalling::kProcess) return false;
  bool others = otherOfGroup(pid_).has_value();
  if (!others) look();
  return others;
}

bool ChildProcess::waitForGroup(base::Nanos limit) {
  base::SystemClock clock;
  const auto start = clock.mono();
  for (;;) {
    Fd other;
    {
      std::scoped_lock lock(mutex_);
      if (reaped_ || signalling_ == Signalling::kProcess) return true;
      auto found = otherOfGroup(pid_);
      if (!found) {
        look();
        return true;
      }
      other = openProcess(*found);
    }
    auto left = limit - (clock.mono() - start);
    if (left <= base::Nanos(0)) return false;
    pollFor(other.get(), POLLIN, other ? left : std::min(left, kPollWithoutHandle));
  }
}

base::Result<Process::Read> ChildProcess::readStdout(std::size_t most, base::Nanos limit) {
  return readFrom(streams_.fromStdout, most, limit);
}

base::Result<Process::Read> ChildProcess::readStderr(std::size_t most, base::Nanos limit) {
  return readFrom(streams_.fromStderr, most, limit);
}

base::Status ChildProcess::writeStdin(const std::string& bytes) {
  if (!streams_.toStdin) {
    return base::invalid("the child's input isn't a pipe or is closed; ask for it in SpawnOptions");
  }
  if (int error = writeQuietly(streams_.toStdin.get(), bytes)) {
    return fromErrno(error, "can't write to the child's input");
  }
  return {};
}

void ChildProcess::closeStdin() { streams_.toStdin.reset(); }

bool ChildProcess::stdinHasRoom() {
  return streams_.toStdin && pollFor(streams_.toStdin.get(), POLLOUT, base::Nanos(0));
}

base::Result<Process::Read> readStandardInput(std::size_t most, base::Nanos limit) {
  return readFd(0, most, limit, "standard input");
}

void outliveParent() { dieWithParent(0); }

std::string ownExecutable() { return executablePath(); }
bool runningAsRoot() { return ::geteuid() == 0; }
std::int64_t ownPid() { return ::getpid(); }

}  // namespace fleetmark::platform
