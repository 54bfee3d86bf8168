#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class Reader : public StoreTest {
 protected:
  base::Result<ports::Table> query(const std::string& statement, std::uint32_t rows = 100) {
    return db_->query(statement, rows);
  }
  std::string refusal(const std::string& statement) {
    auto answer = query(statement);
    if (answer) return "not refused";
    EXPECT_EQ(answer.error().code, base::ErrorCode::kInvalid) << statement;
    return answer.error().message;
  }
};

TEST_F(Reader, ReadsTheViews) {
  insert(makeCampaign());
  auto table = must(query("SELECT campaign, state, started_at, steps FROM campaigns"));
  EXPECT_EQ(table.columns, (std::vector<std::string>{"campaign", "state", "started_at", "steps"}));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][0], "quick");
  EXPECT_EQ(table.rows[0][2], std::nullopt);
  EXPECT_EQ(table.rows[0][3], "1");
  EXPECT_FALSE(table.truncated);
  for (const char* view : {"campaigns", "runners", "results", "samples", "runner_comparison",
                           "history", "regressions", "notices"}) {
    EXPECT_TRUE(query(std::string("TABLE ") + view).has_value()) << view;
  }
}

TEST_F(Reader, TellsWhenThereIsMore) {
  auto table = must(query("select generate_series(1, 1000000000);", 3));
  EXPECT_EQ(table.rows.size(), 3u);
  EXPECT_TRUE(table.truncated);
  EXPECT_FALSE(must(query("VALUES (1), (2), (3)", 3)).truncated);
  EXPECT_EQ(must(query("EXPLAIN SELECT * FROM samples")).columns[0], "QUERY PLAN");
}

TEST_F(Reader, CannotReadSecrets) {
  for (const char* table : {"credential", "lease", "agent", "campaign", "event"}) {
    EXPECT_EQ(refusal(std::string("SELECT * FROM fleetmark.") + table),
              std::string("ERROR:  permission denied for table ") + table);
  }
  // Nor by becoming somebody else in mid-statement.
  auto trick = refusal(
      "SELECT set_config('role', 'fleetmark', true), "
      "query_to_xml('SELECT * FROM fleetmark.credential', true, true, '')");
  EXPECT_NE(trick.find("permission denied"), std::string::npos) << trick;
}

TEST_F(Reader, CannotWrite) {
  EXPECT_NE(refusal("INSERT INTO fleetmark.notice (attempt_id, stage, message) "
                    "VALUES (1, 'a', 'b')"),
            "not refused");
  EXPECT_NE(refusal("CREATE TABLE t (i int)"), "not refused");
  EXPECT_NE(refusal("WITH d AS (DELETE FROM fleetmark.step RETURNING 1) SELECT * FROM d"),
            "not refused");
  EXPECT_NE(refusal("COPY (SELECT 1) TO PROGRAM 'true'"), "not refused");
  EXPECT_NE(refusal("SELECT pg_read_file('PG_VERSION')"), "not refused");
  // Also not in a session that allows itself to write.
  std::string reader = connectionString_ + " user=fleetmark_reader";
  EXPECT_ANY_THROW(server_.sql(reader,
                               "SET default_transaction_read_only = off; "
                               "INSERT INTO fleetmark.notice (attempt_id, stage, message) "
                               "VALUES (1, 'a', 'b')"));
  EXPECT_ANY_THROW(server_.sql(reader,
                               "SET default_transaction_read_only = off; "
                               "SELECT fleetmark.grant_reader()"));
}

TEST_F(Reader, TakesOneStatementAlone) {
  EXPECT_NE(refusal("SELECT 1; SELECT 2").find("multiple commands"), std::string::npos);
  EXPECT_NE(refusal("SHOW timezone; SELECT 2").find("multiple commands"), std::string::npos);
}

TEST_F(Reader, RepeatsWhatPostgresSaysOfAMistake) {
  EXPECT_EQ(refusal("SELECT 1 FROM nowhere"), "ERROR:  relation \"nowhere\" does not exist");
  EXPECT_EQ(refusal("SELEC 1"), "ERROR:  syntax error at or near \"SELEC\"");
}

TEST_F(Reader, HasTimeLimits) {
  EXPECT_EQ(must(query("SELECT current_setting('statement_timeout'), "
                       "current_setting('idle_in_transaction_session_timeout'), "
                       "current_setting('transaction_read_only')"))
                .rows[0],
            (std::vector<std::optional<std::string>>{"30s", "10s", "on"}));
  // The role itself has them as well, for those who come with psql.
  EXPECT_EQ(server_.sql(connectionString_ + " user=fleetmark_reader",
                        "SELECT current_setting('statement_timeout') || ' ' || "
                        "current_setting('idle_in_transaction_session_timeout') || ' ' || "
                        "current_setting('transaction_read_only')"),
            "30s 10s on");
  DatabaseOptions options;
  options.connectionString = connectionString_;
  options.readerTimeout = std::chrono::milliseconds(200);
  auto answer = openDatabase(options)->query("SELECT pg_sleep(60)", 1);
  EXPECT_EQ(codeOf(answer), base::ErrorCode::kConflict);
  EXPECT_EQ(answer.error().message,
            "the statement took longer than 200ms and was ended; narrow it down");
}

TEST_F(Reader, ARoleThatCannotLogInIsExplained) {
  DatabaseOptions options;
  options.connectionString = connectionString_;
  options.readerConnectionString = connectionString_ + " user=fleetmark_reader_who_is_not";
  auto answer = openDatabase(options)->query("SELECT 1", 1);
  EXPECT_EQ(codeOf(answer), base::ErrorCode::kDenied);
  EXPECT_NE(answer.error().message.find("docs/sql.md"), std::string::npos);
}

}  // namespace
}  // namespace fleetmark::coordinator::store
