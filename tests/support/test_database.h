// A PostgreSQL for tests: private, without a TCP port, in a temporary folder, ended with the test
// process whatever ends that. Its data folder is a copy of a template in the build tree, which
// holds a migrated database, so that a start takes no initdb and a fresh database no migration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "coordinator/store/embedded_postgres.h"

namespace fleetmark::support {

class TestPostgres {
 public:
  using DiskSync = coordinator::store::DiskSync;

  // The one of this process, made at the first call; stopped at exit.
  static TestPostgres& shared();
  static base::Result<std::unique_ptr<TestPostgres>> make(DiskSync sync = DiskSync::kOff,
                                                          std::vector<std::string> settings = {});
  // The template itself, for EmbeddedPostgresOptions::initialData.
  static base::Result<std::string> initialData();
  ~TestPostgres();

  // Connection strings, as a superuser. Aborts the test process when the server does not do it.
  std::string freshDatabase();  // migrated, empty
  std::string bareDatabase();   // without fleetmark's schema
  // Runs statements as superuser; the first field of the first row, else empty.
  static std::string sql(const std::string& connectionString, const std::string& statements);

  std::int64_t pid() const { return server_->pid(); }
  void kill() { server_->kill(); }  // SIGKILL to the postmaster
  base::Status stop() { return server_->stop(); }
  base::Status restart() { return server_->restart(); }

 private:
  struct Folder;
  TestPostgres() = default;
  std::string makeDatabase(const std::string& from);

  std::unique_ptr<Folder> folder_;  // removed last
  std::unique_ptr<coordinator::store::EmbeddedPostgres> server_;
  int databases_ = 0;
};

}  // namespace fleetmark::support
