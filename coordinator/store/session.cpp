#include "coordinator/store/session.h"

#include <string_view>

#include "common/base/check.h"

namespace fleetmark::coordinator::store {

namespace {

// The first line of PostgreSQL's message; what follows it repeats the statement.
std::string firstLine(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  if (line.starts_with("ERROR:")) {
    std::size_t begin = line.find_first_not_of(' ', 6);
    line = begin == std::string::npos ? std::string() : line.substr(begin);
  }
  return line;
}

base::Error fromState(std::string_view state, const std::string& message) {
  auto is = [state](std::string_view prefix) { return state.starts_with(prefix); };
  // Serialisation failure, deadlock, lock time-out, statement time-out, unique violation.
  if (is("40") || is("55P03") || is("57014") || is("23505")) {
    return base::conflict("the database could not do this beside other work (" + message +
                          "); try again");
  }
  // Connection and resource errors, shutdown, a server that is or became read-only, and a
  // session ended for idling.
  if (is("08") || is("53") || is("57P") || is("58") || is("25006") || is("25P03")) {
    return base::unavailable("the database can't take this now (" + message + "); try again later");
  }
  if (is("22") || is("23")) return base::invalid("the database refuses a value: " + message);
  if (is("28") || is("42501")) {
    return base::denied("the database refuses this user: " + message +
                        "; check the user and its rights");
  }
  return base::internal("database error " + std::string(state) + ": " + message);
}

// libpqxx 6.4 leaves the state of some errors empty but gives them a type.
std::string stateOf(const pqxx::sql_error& e) {
  if (!e.sqlstate().empty()) return std::string(e.sqlstate());
  if (dynamic_cast<const pqxx::insufficient_privilege*>(&e) != nullptr) return "42501";
  if (dynamic_cast<const pqxx::insufficient_resources*>(&e) != nullptr) return "53000";
  if (dynamic_cast<const pqxx::unique_violation*>(&e) != nullptr) return "23505";
  if (dynamic_cast<const pqxx::integrity_constraint_violation*>(&e) != nullptr) return "23000";
  if (dynamic_cast<const pqxx::data_exception*>(&e) != nullptr) return "22000";
  return {};
}

}  // namespace

base::Error currentError() {
  try {
    throw;
  } catch (const pqxx::in_doubt_error&) {
    return base::unavailable(
        "the connection to the database was lost during commit, so that it may or may not have "
        "happened; try the same request again");
  } catch (const pqxx::transaction_rollback& e) {
    return base::conflict("the database could not do this beside other work (" +
                          firstLine(e.what()) + "); try again");
  } catch (const pqxx::broken_connection& e) {
    return base::unavailable("no connection to the database (" + firstLine(e.what()) +
                             "); check that it runs and try again");
  } catch (const pqxx::sql_error& e) {
    return fromState(stateOf(e), firstLine(e.what()));
  } catch (const std::exception& e) {
    return base::internal("database library: " + firstLine(e.what()));
  }
}

void Connection::prepareOnce(const Statement& statement) {
  const auto known = prepared_.find(statement.name);
  if (known != prepared_.end()) {
    FM_CHECK(known->second == statement.sql);  // two statements of one name
    return;
  }
  raw().prepare(statement.name, statement.sql);
  prepared_.emplace(statement.name, statement.sql);
}

Session::~Session() {
  try {
    work_.reset();
  } catch (...) {
    connection_.markBroken();
  }
}

pqxx::result Session::run(const Statement& statement, const Params& params) {
  connection_.prepareOnce(statement);
  return compat::execPrepared(*work_, statement.name, params.values());
}

std::optional<pqxx::row> Session::runMaybe(const Statement& statement, const Params& params) {
  pqxx::result rows = run(statement, params);
  if (rows.empty()) return std::nullopt;
  return rows[0];
}

pqxx::row Session::runOne(const Statement& statement, const Params& params) {
  pqxx::result rows = run(statement, params);
  if (rows.size() != 1) {
    throw pqxx::unexpected_rows(std::string("statement ") + statement.name + " gave " +
                                std::to_string(rows.size()) + " rows instead of one");
  }
  return rows[0];
}

base::Status Session::commit() {
  if (failed_) return *failed_;
  try {
    work_->commit();
    return {};
  } catch (...) {
    return fail();
  }
}

base::Error Session::fail() {
  base::Error error = currentError();
  if (error.code == base::ErrorCode::kUnavailable) connection_.markBroken();
  failed_ = error;
  return error;
}

}  // namespace fleetmark::coordinator::store
