// The few things about processes that only Linux says or does.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "common/platform/posix/fd.h"

namespace fleetmark::platform {

// Async-signal-safe, for use between fork and exec.
// `signal` comes when the THREAD that forked ends, not the process: spawn on a thread that lives
// as long as the child should.
void dieWithParent(int signal);
void closeOnExecFrom(int lowest);
// Returns the errno or 0. Raw calls: the library's versions talk to threads that aren't there.
int setCredentials(uid_t uid, gid_t gid, const gid_t* groups, std::size_t count);

// Readable once the process has ended. Empty where the kernel is older than 5.3.
Fd openProcess(pid_t pid);
// A process of the group other than its leader that runs (zombies don't count).
std::optional<pid_t> otherOfGroup(pid_t group);
std::string executablePath();

}  // namespace fleetmark::platform
