// The real programs as children of a test: coordinators, agents, the command. All carry a mark in
// their environment, by which a test finds out whether one of them outlived it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/platform/process.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::tests::e2e {

struct CommandResult {
  int exitCode = -1;  // 128 + signal when killed
  std::string out;
  std::string err;
};

// Absolute path of one of the built programs.
std::string program(const std::string& name);

// Asks again until it is true or a minute has passed; the caller asserts what it returns.
bool eventually(const std::function<bool()>& condition);

// Owns a folder and every process started through it; all are killed with it.
class Fleet {
 public:
  Fleet();
  ~Fleet();

  const std::string& folder() const { return folder_.path(); }
  std::string file(const std::string& name, const std::string& content);  // written; its path

  // Starts fleetmark-coordinator and waits until it accepts connections. `arguments` are added.
  // The data folder and, from the second start on, the port stay the same.
  void startCoordinator(std::vector<std::string> arguments = {},
                        std::vector<std::string> environment = {});
  platform::Process& coordinator() { return *coordinator_; }
  const std::string& address() const { return address_; }

  // Enrols (once) and starts an agent; does not wait for it.
  platform::Process& startAgent(const std::string& name, std::vector<std::string> arguments = {});
  platform::Process& agent(std::size_t index) { return *agents_[index]; }

  // The command with this fleet's coordinator and operator identity.
  CommandResult fleetmark(std::vector<std::string> arguments);
  // Any program, to its end.
  CommandResult run(const std::string& path, std::vector<std::string> arguments);
  // Any program, left running; stdout and stderr into <folder>/<name>.log.
  std::unique_ptr<platform::Process> spawn(const std::string& path,
                                           std::vector<std::string> arguments,
                                           const std::string& name);

  // One value by SQL over the views.
  std::string sql(const std::string& statement);
  // Submits a campaign text; its id. Fails the test when it is refused.
  std::string submit(const std::string& yaml, std::vector<std::string> arguments = {});
  bool waitForState(const std::string& campaign, const std::string& state);

  // Processes of this fleet that are alive, by /proc/<pid>/environ.
  std::vector<std::string> survivors() const;
  std::string log(const std::string& name) const;

 private:
  std::vector<std::string> marked(std::vector<std::string> environment) const;

  TemporaryFolder folder_;
  std::string mark_;
  std::string address_;
  std::unique_ptr<platform::Process> coordinator_;
  std::vector<std::unique_ptr<platform::Process>> agents_;
};

}  // namespace fleetmark::tests::e2e
