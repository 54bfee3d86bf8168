// Statements of people, on a connection of their own as fleetmark_reader: a role that is only SET
// on the coordinator's connection could be set back within a statement. Private to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "coordinator/ports/views.h"
#include "coordinator/store/database.h"

namespace fleetmark::coordinator::store {

// kInvalid: PostgreSQL refuses the statement, with its message. kDenied: fleetmark_reader can't log
// in. kConflict: it took longer than readerTimeout.
base::Result<ports::Table> readerQuery(const DatabaseOptions& options, const std::string& statement,
                                       std::uint32_t maxRows);

}  // namespace fleetmark::coordinator::store
