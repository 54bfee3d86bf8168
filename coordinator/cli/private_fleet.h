// A fleet for one run on this machine: a coordinator with its own PostgreSQL and N agents, all in a
// temporary folder that goes with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/platform/process.h"
#include "coordinator/cli/connection.h"
#include "coordinator/ports/operator_port.h"

namespace fleetmark::coordinator::cli {

struct PrivateFleetOptions {
  std::size_t agents = 1;     // named local-a, local-b, ...
  std::string programFolder;  // where fleetmark-coordinator and fleetmark-agent stand
};

// "local-a" for 0, ..., "local-z", "local-27", ...
std::string localAgentName(std::size_t index);

// Owns the processes. Spawns on the calling thread, which must outlive it (the children die with
// it). Destruction stops everything and removes the folder.
class PrivateFleet {
 public:
  // Returns when every agent is online. kUnavailable: a program did not start; the message has the
  // end of its log. kConflict: a stop was asked for meanwhile.
  static base::Result<std::unique_ptr<PrivateFleet>> start(const PrivateFleetOptions& options,
                                                           const Connect& connect,
                                                           const base::Clock& clock);
  ~PrivateFleet();

  ports::OperatorPort& port() { return *port_; }
  // Ok while every process runs; else which one ended, how, and the end of its log.
  base::Status healthy();
  // The logs of all processes, for a run that failed: (name, text).
  std::vector<std::pair<std::string, std::string>> logs() const;
  // Agents first, then the coordinator with its database. Idempotent.
  void stop();

 private:
  struct Member {
    std::string name;
    std::string logFile;
    std::unique_ptr<platform::Process> process;
  };

  PrivateFleet(std::string folder, const base::Clock& clock)
      : folder_(std::move(folder)), clock_(clock) {}
  base::Status launch(const PrivateFleetOptions& options, const Connect& connect);
  base::Status spawnMember(const std::string& name, const std::string& program,
                           std::vector<std::string> arguments);
  base::Result<std::string> waitForAddress(const std::string& file);
  base::Status waitForAgents(std::size_t count);

  std::string folder_;
  const base::Clock& clock_;
  std::vector<Member> members_;  // the coordinator first
  std::unique_ptr<ports::OperatorPort> port_;
};

}  // namespace fleetmark::coordinator::cli
