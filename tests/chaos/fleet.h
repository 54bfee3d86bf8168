// The fleet under test: two databases, coordinators, agents and an operator's command, all of them
// real programs in one private folder. Calls from the main thread alone, because the kernel ends a
// child with the thread that started it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/database_pair.h"
#include "tests/chaos/links.h"
#include "tests/chaos/member.h"
#include "tests/chaos/plan.h"

namespace fleetmark::chaos {

// Short, so that a fault of some seconds ends leases.
inline constexpr const char* kLeaseTtl = "3s";

class Fleet {
 public:
  Fleet(std::string folder, std::string bin);
  ~Fleet();

  void start();  // returns when all agents have registered
  // Starts again what ended without being asked to.
  void tend();
  // In order; what is left of it stands in leftovers().
  void stop();

  DatabasePair& databases() { return *databases_; }
  Links& links() { return *links_; }
  Member& coordinator(int number) { return *coordinators_[number]; }
  Member& agent(int number) { return *agents_[number]; }

  // Programs that ended by themselves although the fault at hand was not theirs.
  const std::vector<std::string>& surprises() const { return surprises_; }
  // Files below an agent's spool folder.
  std::vector<std::string> spoolFiles() const;
  std::string agentFolder(int agent) const;
  std::string log(const std::string& name) const;
  // Processes of this fleet that are alive, by the mark in their environment or their folder.
  std::vector<std::string> leftovers() const;

  // The small disk: fills it but for a few bytes, and frees it.
  bool hasSmallDisk() const { return smallDisk_; }
  const std::string& noSmallDiskReason() const { return noSmallDiskReason_; }
  void fillDisk();
  void freeDisk();

  // Starts the command as an operator; its output goes to `out`.
  std::unique_ptr<platform::Process> command(std::vector<std::string> arguments,
                                             const std::string& out) const;

 private:
  platform::SpawnOptions options(const std::string& program, const std::string& name,
                                 std::vector<std::string> arguments) const;
  void startCoordinator(int number);
  void startAgent(int number);
  void mountSmallDisk();

  std::string folder_;
  std::string bin_;
  std::string mark_;
  bool smallDisk_ = false;
  std::string noSmallDiskReason_;
  std::unique_ptr<DatabasePair> databases_;
  std::unique_ptr<Links> links_;
  std::array<std::unique_ptr<Member>, kCoordinators> coordinators_;
  std::array<std::unique_ptr<Member>, kAgents> agents_;
  std::vector<std::string> surprises_;
};

}  // namespace fleetmark::chaos
