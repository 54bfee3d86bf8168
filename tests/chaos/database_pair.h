// A PostgreSQL primary and its synchronous streaming standby, which change places at a failover.
// Both are reached through sockets in their folders. All calls from one thread; each waits until
// what it does is done, within a limit, and throws HarnessFailure otherwise.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/store/embedded_postgres.h"

namespace fleetmark::chaos {

using Row = std::vector<std::string>;  // NULL is an empty text

class DatabasePair {
 public:
  static constexpr int kSlots = 2;

  // Starts both and makes commits wait for the standby.
  explicit DatabasePair(std::string folder);
  ~DatabasePair();

  // The socket of a slot: a path that stays the same, whoever listens there or does not.
  std::string socketPath(int slot) const;
  int primary() const { return primary_; }

  void killPrimary();     // SIGKILL to the postmaster
  void restartPrimary();  // crash recovery
  void killStandby();
  void restartStandby();
  void promoteStandby();  // it is the primary now; the other slot is empty
  void makeStandby();     // a new one in the empty slot; commits wait for it

  // SIGKILL to one session of a coordinator; false: there is none. The server ends all others too
  // and recovers.
  bool killBackend();
  // Ends up to `most` sessions of coordinators; how many.
  int terminateBackends(int most);

  // Asks the primary as superuser; throws std::exception when it can't.
  std::vector<Row> query(const std::string& statement) const;
  void stop();

 private:
  std::string folder(int slot) const;
  std::string connection(int slot) const;
  coordinator::store::EmbeddedPostgresOptions options(int slot) const;
  void execute(int slot, const std::string& statement, const std::string& what) const;
  void copyFromPrimary(int slot) const;
  void waitForStandby() const;

  std::string folder_;
  int primary_ = 0;
  std::array<std::unique_ptr<coordinator::store::EmbeddedPostgres>, kSlots> servers_;
};

}  // namespace fleetmark::chaos
