// What happens between fork and exec. Everything is prepared by the parent: the child of a
// process with threads may make async-signal-safe calls only, so no allocation and no locks.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace fleetmark::platform {

enum class ChildStage : int { kUser, kParentGone, kFolder, kStreams, kExec };

// Written to the error pipe when the child can't become the program.
struct ChildFailure {
  ChildStage stage;
  int error;
};

struct ChildPlan {
  const char* program;
  char* const* argv;
  char* const* envp;
  const char* workingDirectory;     // null: the parent's
  int stdinFd, stdoutFd, stderrFd;  // 3 or more, or the standard one itself when inherited
  int errorFd;                      // closes on exec
  bool ownProcessGroup;
  bool ownSession;
  int dieSignal;  // 0: lives on without its parent
  pid_t parent;
  bool changeUser;
  uid_t uid;
  gid_t gid;
  const gid_t* groups;
  std::size_t groupCount;
};

// Runs in the child with all signals blocked.
[[noreturn]] void becomeProgram(const ChildPlan& plan);

}  // namespace fleetmark::platform
