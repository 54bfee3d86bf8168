#include "coordinator/store/database.h"

#include <utility>

#include "coordinator/store/connection_string.h"
#include "coordinator/store/reader_query.h"
#include "coordinator/store/session.h"
#include "coordinator/store/unit_of_work.h"

namespace fleetmark::coordinator::store {

namespace {

std::string inMilliseconds(base::Nanos duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) +
         "ms";
}

base::Status checkSchema(pqxx::work& work) {
  std::size_t version = 0;
  auto table = work.exec("SELECT to_regclass('fleetmark.schema_migrations') IS NOT NULL");
  if (RowReader(table[0]).flag()) {
    auto rows = work.exec("SELECT coalesce(max(version), 0) FROM fleetmark.schema_migrations");
    version = static_cast<std::size_t>(RowReader(rows[0]).int32());
  }
  std::size_t own = embeddedMigrations().size();
  if (version == own) return {};
  return base::unsupported(
      "the database has schema version " + std::to_string(version) + ", this program needs " +
      std::to_string(own) +
      (version < own ? "; run fleetmark-coordinator migrate" : "; use a newer fleetmark"));
}

class PostgresDatabase final : public ports::Database {
 public:
  explicit PostgresDatabase(DatabaseOptions options) : options_(std::move(options)) {}

  base::Result<std::unique_ptr<ports::UnitOfWork>> begin(ports::Durability durability) override {
    if (connection_ && connection_->broken()) connection_.reset();
    if (connection_) {
      auto unit = start(durability);
      // The server may have ended the session since the last unit; nothing has been done in this
      // one, so a fresh connection is as good.
      if (unit || unit.error().code != base::ErrorCode::kUnavailable) return unit;
      connection_.reset();
    }
    FM_TRY(connect());
    return start(durability);
  }

  base::Result<ports::Table> query(const std::string& statement, std::uint32_t maxRows) override {
    return readerQuery(options_, statement, maxRows);
  }

 private:
  base::Status connect() {
    FM_TRY_ASSIGN(auto string, withOptions(options_.connectionString, {{"client_encoding", "UTF8"}},
                                           {{"connect_timeout", "3"},
                                            {"tcp_user_timeout", "5000"},
                                            {"application_name", "fleetmark-coordinator"}}));
    try {
      auto connection = std::make_shared<Connection>(string);
      pqxx::work work(connection->raw());
      work.exec(
          "SET search_path = fleetmark; SET timezone = 'UTC'; SET extra_float_digits = 3; "
          "SET default_transaction_isolation = 'read committed'; "
          "SET bytea_output = 'hex'; SET idle_in_transaction_session_timeout = '60s'");
      work.exec("SET lock_timeout = '" + inMilliseconds(options_.lockTimeout) +
                "'; SET statement_timeout = '" + inMilliseconds(options_.statementTimeout) + "'");
      FM_TRY(checkSchema(work));
      work.commit();
      connection_ = std::move(connection);
      return {};
    } catch (...) {
      return currentError();
    }
  }

  base::Result<std::unique_ptr<ports::UnitOfWork>> start(ports::Durability durability) {
    try {
      auto unit = std::make_unique<PostgresUnitOfWork>(connection_);
      FM_TRY(unit->begin(durability));
      return std::unique_ptr<ports::UnitOfWork>(std::move(unit));
    } catch (...) {
      base::Error error = currentError();
      if (error.code == base::ErrorCode::kUnavailable) connection_->markBroken();
      return error;
    }
  }

  DatabaseOptions options_;
  std::shared_ptr<Connection> connection_;
};

}  // namespace

std::unique_ptr<ports::Database> openDatabase(DatabaseOptions options) {
  return std::make_unique<PostgresDatabase>(std::move(options));
}

}  // namespace fleetmark::coordinator::store
