// Brings a database to this program's schema. Any thread; several programs may migrate at once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "coordinator/store/migrations.h"

namespace fleetmark::coordinator::store {

enum class MigrationState {
  kApplied,
  kPending,
  kChanged,  // applied with another text than this program carries
  kUnknown,  // in the database, not in this program: the database is newer
};

std::string_view toString(MigrationState state);

struct MigrationStatus {
  int version = 0;
  std::string name;
  std::string sha256;  // hexadecimal, of the file as applied, else as carried
  MigrationState state = MigrationState::kPending;
  std::optional<base::WallTime> appliedAt;
};

// Applies what is pending, each migration in one transaction. kUnsupported: the database is newer
// than this program, or a migration was changed after it had been applied; nothing is done then.
// kConflict: another program holds the lock for longer than 5 s. kDenied: no right to do so.
base::Status migrate(const std::string& connectionString);
// By version. A database without fleetmark's schema has everything pending.
base::Result<std::vector<MigrationStatus>> migrationStatus(const std::string& connectionString);
// All migrations as one script.
std::string printMigrations();

// With other migrations than the program's own; for tests.
base::Status migrateWith(const std::string& connectionString, std::span<const Migration> carried);

}  // namespace fleetmark::coordinator::store
