// The Process that spawn makes.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>

#include "common/platform/posix/fd.h"
#include "common/platform/process.h"

namespace fleetmark::platform {

enum class Signalling { kGroup, kProcess };

// The leader stays a zombie while others of its group run, so that its number, and the group's,
// can't be taken by a stranger who would then get our signals.
class ChildProcess final : public Process {
 public:
  struct Streams {
    Fd toStdin;
    Fd fromStdout;
    Fd fromStderr;
  };
  ChildProcess(pid_t pid, Signalling signalling, Streams streams);
  ~ChildProcess() override;

  std::int64_t pid() const override { return pid_; }
  std::optional<ExitStatus> wait(base::Nanos limit) override;
  void terminate() override;
  void interrupt() override;
  void killTree() override;
  bool groupAlive() override;
  bool waitForGroup(base::Nanos limit) override;
  base::Result<Read> readStdout(std::size_t most, base::Nanos limit) override;
  base::Result<Read> readStderr(std::size_t most, base::Nanos limit) override;
  base::Status writeStdin(const std::string& bytes) override;
  void closeStdin() override;
  bool stdinHasRoom() override;

 private:
  void look();  // notices the end and reaps; under mutex_
  void send(int signal, Signalling to);

  const pid_t pid_;
  const Signalling signalling_;
  Fd handle_;
  Streams streams_;
  std::mutex mutex_;
  std::optional<ExitStatus> ended_;
  bool reaped_ = false;
};

}  // namespace fleetmark::platform
