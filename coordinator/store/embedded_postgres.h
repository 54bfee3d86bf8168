// A private PostgreSQL in the coordinator's data directory: no TCP port, reached through a socket
// in a folder of its own, started and stopped with the coordinator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"

namespace fleetmark::coordinator::store {

// kOff loses or corrupts everything in a power cut; tests alone use it.
enum class DiskSync { kOn, kOff };

struct EmbeddedPostgresOptions {
  std::string dataFolder;  // absolute; made where it is absent. Holds data/ and postgres.log
  std::string binFolder;   // of postgres and initdb; empty: found, see findPostgres
  DiskSync diskSync = DiskSync::kOn;
  std::string initialData;  // a stopped server's data folder to copy instead of running initdb
  std::vector<std::string> settings;  // "name=value", over fleetmark's own
  base::Nanos startLimit = std::chrono::seconds(60);
};

// The newest PostgreSQL on this machine, or the one that made the data folder (its major version):
// $FLEETMARK_POSTGRES_BIN, /usr/lib/postgresql/*/bin, then PATH. `major` empty: any. kNotFound says
// what to install.
base::Result<std::string> findPostgres(const std::string& major);

// Owns the server. It ends with this process, whatever ends that; when the server alone dies it is
// started again. As root it runs as user postgres, or nobody where there is no such user, and
// private folders on the way to dataFolder are opened to that user (platform::letEnter).
//
// stop(), kill() and the destructor from one thread at a time; the rest from any.
class EmbeddedPostgres {
 public:
  // Returns when the server answers and has the database `fleetmark`. A server that a killed
  // coordinator left on the same folder is waited for and stopped.
  static base::Result<std::unique_ptr<EmbeddedPostgres>> start(
      const EmbeddedPostgresOptions& options);
  ~EmbeddedPostgres();  // stop()

  const std::string& connectionString() const;
  std::int64_t pid() const;  // of the postmaster; 0: not running
  // Fast stop: open transactions are rolled back. kUnavailable: it had to be killed after 30 s and
  // will recover at its next start.
  base::Status stop();

  // For fault tests. kill() is SIGKILL to the postmaster, without the new start that would follow;
  // restart() brings a stopped or killed server back, on the same socket.
  void kill();
  base::Status restart();

 private:
  class Server;
  explicit EmbeddedPostgres(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

}  // namespace fleetmark::coordinator::store
