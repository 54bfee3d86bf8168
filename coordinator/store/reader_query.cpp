#include "coordinator/store/reader_query.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "coordinator/store/connection_string.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

namespace {

// Also for a server where an administrator made the role without these settings.
std::string sessionOptions(base::Nanos timeout) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  return "-c default_transaction_read_only=on -c statement_timeout=" + std::to_string(ms) +
         "ms -c idle_in_transaction_session_timeout=10s -c search_path=fleetmark -c timezone=UTC";
}

base::Result<std::string> readerString(const DatabaseOptions& options) {
  std::vector<ConnectionOption> overrides = {{"client_encoding", "UTF8"},
                                             {"application_name", "fleetmark-sql"},
                                             {"options", sessionOptions(options.readerTimeout)}};
  std::vector<ConnectionOption> defaults = {{"connect_timeout", "3"}};
  if (!options.readerConnectionString.empty()) {
    return withOptions(options.readerConnectionString, overrides, defaults);
  }
  overrides.emplace_back("user", "fleetmark_reader");
  overrides.emplace_back("password", "");
  return withOptions(options.connectionString, overrides, defaults);
}

// Whether the statement can stand behind DECLARE ... CURSOR FOR, so that no more than maxRows + 1
// rows are made.
bool isSelect(std::string_view statement) {
  std::size_t begin = statement.find_first_not_of(" \t\r\n(");
  if (begin == std::string_view::npos) return false;
  std::string word;
  for (char c : statement.substr(begin, 7)) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return word == "select" || word == "with" || word == "values" || word == "table";
}

ports::Table toTable(const pqxx::result& rows, std::uint32_t maxRows) {
  ports::Table table;
  for (pqxx::row::size_type i = 0; i < rows.columns(); ++i) {
    table.columns.emplace_back(rows.column_name(i));
  }
  for (const auto& row : rows) {
    if (table.rows.size() == maxRows) {
      table.truncated = true;
      break;
    }
    auto& out = table.rows.emplace_back();
    for (const auto& field : row) {
      if (field.is_null()) {
        out.emplace_back(std::nullopt);
      } else {
        out.emplace_back(field.c_str());
      }
    }
  }
  return table;
}

// Without the lines that show the statement and the place in it: they show the cursor as well.
std::string ownMessage(std::string_view text) {
  std::string out;
  bool caret = false;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (caret || line.starts_with("LINE ") || line.empty()) {
      caret = line.starts_with("LINE ");
      continue;
    }
    if (!out.empty()) out.push_back('\n');
    out += line;
  }
  return out;
}

}  // namespace

base::Result<ports::Table> readerQuery(const DatabaseOptions& options, const std::string& statement,
                                       std::uint32_t maxRows) {
  FM_TRY_ASSIGN(auto string, readerString(options));
  std::unique_ptr<compat::QuietConnection> connection;
  try {
    connection = std::make_unique<compat::QuietConnection>(string);
  } catch (...) {
    base::Error error = currentError();
    if (error.message.find("fleetmark_reader") == std::string::npos) return error;
    return base::denied("statements run as the role fleetmark_reader, which can't log in (" +
                        error.message +
                        "); docs/sql.md says how to make the role and name its connection");
  }
  try {
    pqxx::work work(connection->get());
    // With parameters, even none, PostgreSQL takes one statement alone.
    if (!isSelect(statement)) {
      return toTable(compat::execParams(work, repairText(statement), {}), maxRows);
    }
    compat::execParams(work, "DECLARE fleetmark_rows NO SCROLL CURSOR FOR " + repairText(statement),
                       {});
    return toTable(
        work.exec("FETCH " + std::to_string(std::uint64_t{maxRows} + 1) + " FROM fleetmark_rows"),
        maxRows);
  } catch (const pqxx::sql_error& e) {
    std::string_view state = e.sqlstate();
    if (state.starts_with("57014")) {
      return base::conflict("the statement took longer than " +
                            base::formatDuration(options.readerTimeout) +
                            " and was ended; narrow it down");
    }
    if (state.starts_with("57P") || state.starts_with("53")) return currentError();
    return base::invalid(ownMessage(e.what()));
  } catch (...) {
    return currentError();
  }
}

}  // namespace fleetmark::coordinator::store
