// The files of an embedded server: programs, data folder, and what a server left behind. Private to
// this folder.
#pragma once

#include <optional>
#include <string>

#include "coordinator/store/embedded_postgres.h"

namespace fleetmark::coordinator::store {

struct PostgresFiles {
  std::string binFolder;
  std::string dataFolder;  // PostgreSQL's own
  std::string logFile;
  std::string user;  // to run as; empty: this one
};

// Makes what is absent: initdb into a folder beside, renamed when it is whole.
base::Result<PostgresFiles> prepareFiles(const EmbeddedPostgresOptions& options);

// What postmaster.pid says of the server that has, or had, the data folder.
struct PostmasterFile {
  std::string pid;
  std::string socketFolder;
};
std::optional<PostmasterFile> readPostmasterFile(const std::string& dataFolder);
// Removes postmaster.pid where its process is no PostgreSQL: the number was given out again.
void removeStalePostmasterFile(const std::string& dataFolder);
// The last lines of the log, for messages.
std::string logTail(const std::string& logFile);

}  // namespace fleetmark::coordinator::store
