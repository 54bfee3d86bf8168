// PostgreSQL behind ports::Database.
#pragma once

#include <memory>
#include <string>

#include "common/base/units.h"
#include "coordinator/ports/store.h"
#include "coordinator/store/migrator.h"

namespace fleetmark::coordinator::store {

struct DatabaseOptions {
  // As libpq reads it, key=value or postgresql://. May hold a secret: never logged.
  std::string connectionString;
  // For query(). Empty: connectionString with the user fleetmark_reader and no password.
  std::string readerConnectionString;
  base::Nanos lockTimeout = std::chrono::seconds(5);
  base::Nanos statementTimeout = std::chrono::seconds(60);
  base::Nanos readerTimeout = std::chrono::seconds(30);  // of one query()
};

// Connects at the first begin(), and again after a connection was lost, so that a server which is
// down now is no error here. begin() answers kUnsupported when the schema is not this program's
// (migrate() brings it there). One thread at a time; each worker opens its own.
std::unique_ptr<ports::Database> openDatabase(DatabaseOptions options);

}  // namespace fleetmark::coordinator::store
