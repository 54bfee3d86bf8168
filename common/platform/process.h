// Child processes, signals and private files: what the coordinator, the agent and the command all
// need of an operating system. Implementations stand in posix/ and linux/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"

namespace fleetmark::platform {

struct SpawnOptions {
  std::string program;                   // absolute path
  std::vector<std::string> arguments;    // without argv[0]
  std::vector<std::string> environment;  // added to or replacing the parent's, "KEY=value"
  std::string workingDirectory;          // empty: the parent's
  std::string runAsUser;                 // empty: the same; needs root
  bool ownProcessGroup = true;           // so that killTree reaches grandchildren
  bool ownSession = false;               // leaves the parent's session too; a group of its own
  // SIGKILL (or dieSignal) when the parent ends. Linux ties this to the THREAD that called spawn:
  // spawn on one that lives as long as the child should (main, not a worker that comes and goes).
  // It reaches the child alone, not its own children.
  bool dieWithParent = true;
  int dieSignal = 0;  // 0: SIGKILL
  bool pipeStdin = false;
  bool pipeStdout = false;  // else /dev/null, or a file, or inherited
  bool pipeStderr = false;
  std::string stdoutFile;      // appended; also takes stderr when it isn't piped
  bool inheritOutput = false;  // stdout and stderr of the parent
};

struct ExitStatus {
  bool signalled = false;
  int code = 0;  // exit code, or the signal's number
  bool clean() const { return !signalled && code == 0; }
  std::string describe() const;  // "exit code 3", "killed by signal 9"
};

// Owns one child. Destruction kills and reaps it (with its group), waiting at most 10 s for one
// that a system call holds. Calls may come from any one thread at a time; wait and kill may race
// from two threads. The child's pid stays taken (a zombie) while others of its group run.
class Process {
 public:
  virtual ~Process() = default;
  virtual std::int64_t pid() const = 0;
  // Waits at most `limit`; nullopt: still running.
  virtual std::optional<ExitStatus> wait(base::Nanos limit) = 0;
  virtual void terminate() = 0;  // SIGTERM to the group
  virtual void interrupt() = 0;  // SIGINT to the process alone
  virtual void killTree() = 0;   // SIGKILL to the group
  // True when a process of the group other than the leader is still alive.
  virtual bool groupAlive() = 0;
  // Waits until that is false; false: one is alive after `limit`.
  virtual bool waitForGroup(base::Nanos limit) = 0;
  // Reads what is there, waiting at most `limit`. Empty string and eof=true at the end.
  struct Read {
    std::string bytes;
    bool eof = false;
    bool timedOut = false;
  };
  virtual base::Result<Read> readStdout(std::size_t most, base::Nanos limit) = 0;
  virtual base::Result<Read> readStderr(std::size_t most, base::Nanos limit) = 0;
  // Returns when all is in the pipe: for more than 64 KiB the child must be reading. kUnavailable
  // when it has closed its input; never raises SIGPIPE.
  virtual base::Status writeStdin(const std::string& bytes) = 0;
  virtual void closeStdin() = 0;
  // True when writeStdin of up to 4 KiB would not wait.
  virtual bool stdinHasRoom() = 0;
};

// Returns once the program runs: signal mask and dispositions are reset, no descriptor but 0-2 is
// passed on. kNotFound: no such program, folder or user; kInvalid: not executable or a relative
// path; kUnavailable: no memory or process; kDenied: may not
// change user or execute it.
base::Result<std::unique_ptr<Process>> spawn(const SpawnOptions& options);

std::string ownExecutable();  // absolute path of this program
bool runningAsRoot();
std::int64_t ownPid();

// SIGINT and SIGTERM set a flag instead of ending the process. install() once in main, before any
// thread. SIGPIPE is ignored.
class StopSignal {
 public:
  static void install();
  static bool requested();
  static int count();  // how often: the second Ctrl-C means hurry
  // Sleeps up to `limit`, returns early (true) once a stop is requested.
  static bool waitFor(base::Nanos limit);
  static void raise();  // as if a signal had come; for tests and orderly ends
};

}  // namespace fleetmark::platform
