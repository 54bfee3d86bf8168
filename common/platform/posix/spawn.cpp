#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "common/platform/posix/child.h"
#include "common/platform/posix/child_process.h"
#include "common/platform/posix/errors.h"
#include "common/platform/posix/fd.h"
#include "common/platform/process.h"

extern char** environ;

namespace fleetmark::platform {

namespace {

struct User {
  bool change = false;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

base::Result<User> findUser(const std::string& name) {
  User user;
  if (name.empty()) return user;
  std::vector<char> buffer(64 * 1024);
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (int error = ::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found)) {
    return fromErrno(error, "can't look up user '" + name + "'");
  }
  if (found == nullptr) return base::notFound("no user '" + name + "' on this host; create it");
  user.uid = entry.pw_uid;
  user.gid = entry.pw_gid;
  user.change = user.uid != ::geteuid();
  if (user.change && ::geteuid() != 0) {
    return base::denied("only root can run a program as user '" + name +
                        "', this process is user " + std::to_string(::geteuid()) +
                        "; start it as root or as that user");
  }
  int count = 64;
  user.groups.resize(static_cast<std::size_t>(count));
  if (::getgrouplist(name.c_str(), user.gid, user.groups.data(), &count) < 0) {
    user.groups.resize(static_cast<std::size_t>(count));
    ::getgrouplist(name.c_str(), user.gid, user.groups.data(), &count);
  }
  user.groups.resize(static_cast<std::size_t>(count));
  return user;
}

std::vector<std::string> mergedEnvironment(const std::vector<std::string>& added) {
  std::vector<std::string> out;
  auto keyOf = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const auto& one : added) replaced |= keyOf(one) == keyOf(*entry);
    if (!replaced) out.emplace_back(*entry);
  }
  out.insert(out.end(), added.begin(), added.end());
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The child's ends, and ours.
struct Wiring {
  Fd null, file;
  Pipe in, out, err;
  int stdinFd = 0, stdoutFd = 1, stderrFd = 2;
};

base::Status wireOutput(const SpawnOptions& options, Wiring& wiring) {
  if (!options.stdoutFile.empty()) {
    Fd opened(::open(options.stdoutFile.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (!opened) return fromErrno(errno, "can't open '" + options.stdoutFile + "' for output");
    wiring.file = Fd(::fcntl(opened.get(), F_DUPFD_CLOEXEC, 3));
    if (!wiring.file) return fromErrno(errno, "can't open '" + options.stdoutFile + "' for output");
  }
  int rest = wiring.file ? wiring.file.get() : wiring.null.get();
  wiring.stdoutFd = rest;
  wiring.stderrFd = rest;
  if (options.inheritOutput && !wiring.file) {
    wiring.stdoutFd = 1;
    wiring.stderrFd = 2;
  }
  if (options.pipeStdout) {
    FM_TRY_ASSIGN(wiring.out, makePipe());
    wiring.stdoutFd = wiring.out.writeEnd.get();
  }
  if (options.pipeStderr) {
    FM_TRY_ASSIGN(wiring.err, makePipe());
    wiring.stderrFd = wiring.err.writeEnd.get();
  }
  return {};
}

base::Status wire(const SpawnOptions& options, Wiring& wiring) {
  Fd opened(::open("/dev/null", O_RDWR | O_CLOEXEC));
  wiring.null = Fd(::fcntl(opened.get(), F_DUPFD_CLOEXEC, 3));
  if (!wiring.null) return fromErrno(errno, "can't open /dev/null");
  wiring.stdinFd = wiring.null.get();
  if (options.pipeStdin) {
    FM_TRY_ASSIGN(wiring.in, makePipe());
    wiring.stdinFd = wiring.in.readEnd.get();
  }
  return wireOutput(options, wiring);
}

base::Error explain(const ChildFailure& failure, const SpawnOptions& options) {
  switch (failure.stage) {
    case ChildStage::kUser:
      return fromErrno(failure.error, "can't become user '" + options.runAsUser + "'");
    case ChildStage::kParentGone:
      return base::unavailable("'" + options.program +
                               "' wasn't started: its parent has ended meanwhile");
    case ChildStage::kFolder:
      return fromErrno(failure.error, "can't start '" + options.program + "' in folder '" +
                                          options.workingDirectory + "'");
    case ChildStage::kStreams:
      return fromErrno(failure.error, "can't connect the streams of '" + options.program + "'");
    case ChildStage::kExec:
      return fromErrno(failure.error, "can't start '" + options.program + "'",
                       "is it installed and executable?");
  }
  return base::internal("unknown stage of a child's failure");
}

pid_t forkWithSignalsBlocked(const ChildPlan& plan) {
  // A handler of ours that ran in the child would write to pipes that it shares with us.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = ::fork();
  if (pid == 0) becomeProgram(plan);
  int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace

base::Result<std::unique_ptr<Process>> spawn(const SpawnOptions& options) {
  if (options.program.empty() || options.program.front() != '/') {
    return base::invalid("program '" + options.program + "' is no absolute path; give one");
  }
  FM_TRY_ASSIGN(User user, findUser(options.runAsUser));
  Wiring wiring;
  FM_TRY(wire(options, wiring));
  FM_TRY_ASSIGN(Pipe errors, makePipe());

  std::vector<std::string> arguments{options.program};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = mergedEnvironment(options.environment);
  std::vector<char*> argv = pointers(arguments);
  std::vector<char*> envp = pointers(environment);
  ChildPlan plan{
      .program = options.program.c_str(),
      .argv = argv.data(),
      .envp = envp.data(),
      .workingDirectory =
          options.workingDirectory.empty() ? nullptr : options.workingDirectory.c_str(),
      .stdinFd = wiring.stdinFd,
      .stdoutFd = wiring.stdoutFd,
      .stderrFd = wiring.stderrFd,
      .errorFd = errors.writeEnd.get(),
      .ownProcessGroup = options.ownProcessGroup,
      .ownSession = options.ownSession,
      .dieSignal = !options.dieWithParent   ? 0
                   : options.dieSignal != 0 ? options.dieSignal
                                            : SIGKILL,
      .parent = ::getpid(),
      .changeUser = user.change,
      .uid = user.uid,
      .gid = user.gid,
      .groups = user.groups.data(),
      .groupCount = user.groups.size(),
  };
  pid_t pid = forkWithSignalsBlocked(plan);
  if (pid < 0) return fromErrno(errno, "can't start a process for '" + options.program + "'");
  auto child = std::make_unique<ChildProcess>(
      pid,
      options.ownProcessGroup || options.ownSession ? Signalling::kGroup : Signalling::kProcess,
      ChildProcess::Streams{std::move(wiring.in.writeEnd), std::move(wiring.out.readEnd),
                            std::move(wiring.err.readEnd)});
  errors.writeEnd.reset();
  ChildFailure failure{};
  ssize_t got = 0;
  do {
    got = ::read(errors.readEnd.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof failure)) return explain(failure, options);
  return std::unique_ptr<Process>(std::move(child));
}

}  // namespace fleetmark::platform
