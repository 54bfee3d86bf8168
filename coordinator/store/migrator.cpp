#include "coordinator/store/migrator.h"

#include <algorithm>
#include <map>

#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/crypto/digest.h"
#include "coordinator/store/connection_string.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

namespace {

// Key of the advisory lock that lets one migrator work at a time: "fleetmrk" in ASCII.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(7380955229405803115)";

constexpr const char* kPreamble = R"sql(
CREATE SCHEMA IF NOT EXISTS fleetmark;
COMMENT ON SCHEMA fleetmark IS 'Campaigns, work, samples and results of fleetmark. People read the views.';
CREATE TABLE IF NOT EXISTS fleetmark.schema_migrations (
  version int PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now());
COMMENT ON TABLE fleetmark.schema_migrations IS 'Which migrations this database has had.';
)sql";

struct Applied {
  std::string name;
  std::string sha256;
  base::WallTime at;
};

bool hasTable(pqxx::work& work) {
  auto rows = work.exec("SELECT to_regclass('fleetmark.schema_migrations') IS NOT NULL");
  return RowReader(rows[0]).flag();
}

std::map<int, Applied> readApplied(pqxx::work& work) {
  std::map<int, Applied> out;
  auto rows = work.exec(
      "SELECT version, name, sha256, (extract(epoch FROM applied_at) * 1000000000)::bigint "
      "FROM fleetmark.schema_migrations ORDER BY version");
  for (const auto& row : rows) {
    RowReader reader(row);
    int version = reader.int32();
    std::string name = reader.text();
    std::string sha256 = reader.text();
    out[version] = {std::move(name), std::move(sha256), reader.time()};
  }
  return out;
}

base::Status check(const std::map<int, Applied>& applied, std::span<const Migration> carried) {
  for (const auto& [version, row] : applied) {
    if (version < 1 || static_cast<std::size_t>(version) > carried.size()) {
      return base::unsupported("the database is newer than this program: it has migration " +
                               std::to_string(version) + " (" + row.name +
                               "), this program knows up to " + std::to_string(carried.size()) +
                               "; use a newer fleetmark-coordinator");
    }
    const Migration& own = carried[static_cast<std::size_t>(version) - 1];
    if (crypto::sha256Hex(own.sql) != row.sha256) {
      return base::unsupported(
          "migration " + std::to_string(version) + " (" + row.name +
          ") was changed after this database had had it: applied " + row.sha256.substr(0, 12) +
          ", carried " + crypto::sha256Hex(own.sql).substr(0, 12) +
          "; use the version of fleetmark-coordinator that this database was made with");
    }
  }
  return {};
}

void apply(pqxx::work& work, const Migration& migration) {
  work.exec(std::string(migration.sql));
  compat::execParams(
      work, "INSERT INTO fleetmark.schema_migrations (version, name, sha256) VALUES ($1, $2, $3)",
      Params::of(migration.version, migration.name, crypto::sha256Hex(migration.sql)).values());
}

// One migration, or none when all are applied. True: there may be more.
base::Result<bool> applyNext(pqxx::connection& connection, std::span<const Migration> carried) {
  pqxx::work work(connection);
  work.exec("SET LOCAL lock_timeout = '5s'");
  work.exec("SET LOCAL client_min_messages = warning");
  work.exec(kLock);
  if (!hasTable(work)) work.exec(kPreamble);
  auto applied = readApplied(work);
  FM_TRY(check(applied, carried));
  auto next = std::find_if(carried.begin(), carried.end(), [&applied](const Migration& migration) {
    return !applied.contains(migration.version);
  });
  if (next == carried.end()) return false;
  apply(work, *next);
  work.commit();
  base::log(base::LogLevel::kInfo, "database.migrated",
            {{"version", next->version}, {"name", next->name}});
  return true;
}

base::Result<std::string> migratorString(const std::string& connectionString) {
  return withOptions(connectionString, {{"client_encoding", "UTF8"}},
                     {{"connect_timeout", "3"}, {"application_name", "fleetmark-migrate"}});
}

}  // namespace

std::string_view toString(MigrationState state) {
  switch (state) {
    case MigrationState::kApplied:
      return "applied";
    case MigrationState::kPending:
      return "pending";
    case MigrationState::kChanged:
      return "changed";
    case MigrationState::kUnknown:
      return "unknown";
  }
  return "?";
}

base::Status migrateWith(const std::string& connectionString, std::span<const Migration> carried) {
  FM_TRY_ASSIGN(auto string, migratorString(connectionString));
  try {
    compat::QuietConnection connection(string);
    while (true) {
      FM_TRY_ASSIGN(bool more, applyNext(connection.get(), carried));
      if (!more) return {};
    }
  } catch (...) {
    return currentError();
  }
}

base::Status migrate(const std::string& connectionString) {
  return migrateWith(connectionString, embeddedMigrations());
}

base::Result<std::vector<MigrationStatus>> migrationStatus(const std::string& connectionString) {
  FM_TRY_ASSIGN(auto string, migratorString(connectionString));
  std::map<int, Applied> applied;
  try {
    compat::QuietConnection connection(string);
    pqxx::work work(connection.get());
    if (hasTable(work)) applied = readApplied(work);
  } catch (...) {
    return currentError();
  }
  std::vector<MigrationStatus> out;
  for (const auto& migration : embeddedMigrations()) {
    MigrationStatus status{migration.version, std::string(migration.name),
                           crypto::sha256Hex(migration.sql), MigrationState::kPending,
                           std::nullopt};
    if (auto row = applied.find(migration.version); row != applied.end()) {
      status.state =
          row->second.sha256 == status.sha256 ? MigrationState::kApplied : MigrationState::kChanged;
      status.sha256 = row->second.sha256;
      status.appliedAt = row->second.at;
      applied.erase(row);
    }
    out.push_back(std::move(status));
  }
  for (const auto& [version, row] : applied) {
    out.push_back({version, row.name, row.sha256, MigrationState::kUnknown, row.at});
  }
  return out;
}

std::string printMigrations() {
  std::string out = "BEGIN;\n";
  out += kPreamble;
  for (const auto& migration : embeddedMigrations()) {
    out += "\n-- " + std::to_string(migration.version) + " " + std::string(migration.name) + "\n";
    out += migration.sql;
    out += "INSERT INTO fleetmark.schema_migrations (version, name, sha256) VALUES (" +
           std::to_string(migration.version) + ", '" + std::string(migration.name) + "', '" +
           crypto::sha256Hex(migration.sql) + "');\n";
  }
  return out + "COMMIT;\n";
}

}  // namespace fleetmark::coordinator::store
