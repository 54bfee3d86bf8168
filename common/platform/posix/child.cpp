#include "common/platform/posix/child.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/platform/linux/kernel.h"

namespace fleetmark::platform {

namespace {

[[noreturn]] void giveUp(const ChildPlan& plan, ChildStage stage, int error) {
  ChildFailure failure{stage, error};
  [[maybe_unused]] auto written = ::write(plan.errorFd, &failure, sizeof failure);
  ::_exit(127);
}

void resetSignals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number <= SIGRTMAX; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool connect(int from, int to) { return from == to || ::dup2(from, to) == to; }

}  // namespace

void becomeProgram(const ChildPlan& plan) {
  if (plan.ownSession) {
    ::setsid();
  } else if (plan.ownProcessGroup) {
    ::setpgid(0, 0);
  }
  if (plan.changeUser) {
    if (int error = setCredentials(plan.uid, plan.gid, plan.groups, plan.groupCount)) {
      giveUp(plan, ChildStage::kUser, error);
    }
  }
  // After the change of user, which clears the setting.
  if (plan.dieSignal != 0) {
    dieWithParent(plan.dieSignal);
    if (::getppid() != plan.parent) giveUp(plan, ChildStage::kParentGone, ESRCH);
  }
  if (plan.workingDirectory != nullptr && ::chdir(plan.workingDirectory) != 0) {
    giveUp(plan, ChildStage::kFolder, errno);
  }
  if (!connect(plan.stdinFd, 0) || !connect(plan.stdoutFd, 1) || !connect(plan.stderrFd, 2)) {
    giveUp(plan, ChildStage::kStreams, errno);
  }
  closeOnExecFrom(3);
  resetSignals();
  ::execve(plan.program, plan.argv, plan.envp);
  giveUp(plan, ChildStage::kExec, errno);
}

}  // namespace fleetmark::platform
