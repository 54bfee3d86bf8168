#include <future>

#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class Migrator : public ::testing::Test {
 protected:
  Migrator() : server_(support::TestPostgres::shared()), database_(server_.bareDatabase()) {}
  std::string sql(const std::string& statements) { return server_.sql(database_, statements); }

  support::TestPostgres& server_;
  std::string database_;
};

TEST_F(Migrator, BringsABareDatabaseUpAndThenDoesNothing) {
  for (const auto& status : must(migrationStatus(database_))) {
    EXPECT_EQ(status.state, MigrationState::kPending);
    EXPECT_FALSE(status.appliedAt);
  }
  must(migrate(database_));
  must(migrate(database_));
  auto all = must(migrationStatus(database_));
  ASSERT_EQ(all.size(), embeddedMigrations().size());
  for (const auto& status : all) {
    EXPECT_EQ(status.state, MigrationState::kApplied);
    EXPECT_EQ(status.sha256.size(), 64u);
    EXPECT_TRUE(status.appliedAt);
  }
  DatabaseOptions options;
  options.connectionString = database_;
  EXPECT_TRUE(openDatabase(options)->begin().has_value());
}

TEST_F(Migrator, VersionsAreNumberedFromOne) {
  int wanted = 1;
  for (const auto& migration : embeddedMigrations()) EXPECT_EQ(migration.version, wanted++);
}

TEST_F(Migrator, ADatabaseThatWasNotMigratedIsNotUsed) {
  DatabaseOptions options;
  options.connectionString = database_;
  auto unit = openDatabase(options)->begin();
  EXPECT_EQ(codeOf(unit), base::ErrorCode::kUnsupported);
  EXPECT_NE(unit.error().message.find("migrate"), std::string::npos);
}

TEST_F(Migrator, ANewerDatabaseIsRefused) {
  must(migrate(database_));
  sql("INSERT INTO fleetmark.schema_migrations VALUES (9999, 'from_the_future', 'x')");
  auto status = migrate(database_);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kUnsupported);
  EXPECT_NE(status.error().message.find("9999 (from_the_future)"), std::string::npos);
  EXPECT_EQ(must(migrationStatus(database_)).back().state, MigrationState::kUnknown);
  DatabaseOptions options;
  options.connectionString = database_;
  EXPECT_EQ(codeOf(openDatabase(options)->begin()), base::ErrorCode::kUnsupported);
}

TEST_F(Migrator, AChangedFileIsRefused) {
  must(migrate(database_));
  sql("UPDATE fleetmark.schema_migrations SET sha256 = repeat('0', 64) WHERE version = 1");
  auto status = migrate(database_);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kUnsupported);
  EXPECT_NE(status.error().message.find("migration 1 (core) was changed"), std::string::npos);
  EXPECT_EQ(must(migrationStatus(database_)).front().state, MigrationState::kChanged);
}

TEST_F(Migrator, AMigrationThatFailsLeavesNothingOfItself) {
  std::vector<Migration> carried = {
      {1, "good", "CREATE TABLE fleetmark.one (i int);"},
      {2, "bad", "CREATE TABLE fleetmark.two (i int); SELECT 1 / 0;"}};
  EXPECT_FALSE(migrateWith(database_, carried).has_value());
  EXPECT_EQ(sql("SELECT to_regclass('fleetmark.one') IS NOT NULL AND "
                "to_regclass('fleetmark.two') IS NULL"),
            "t");
  EXPECT_EQ(sql("SELECT max(version) FROM fleetmark.schema_migrations"), "1");
  carried[1].sql = "CREATE TABLE fleetmark.two (i int);";
  must(migrateWith(database_, carried));
}

TEST_F(Migrator, ManyAtOnceDoItOnce) {
  std::vector<std::future<base::Status>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::async(std::launch::async, [this] { return migrate(database_); }));
  }
  for (auto& one : all) must(one.get());
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.schema_migrations"),
            std::to_string(embeddedMigrations().size()));
}

TEST_F(Migrator, ThePrintedScriptDoesTheSame) {
  sql(printMigrations());
  must(migrate(database_));
  for (const auto& status : must(migrationStatus(database_))) {
    EXPECT_EQ(status.state, MigrationState::kApplied);
  }
}

TEST_F(Migrator, AUserWithoutRightsIsDenied) {
  sql("DO $$ BEGIN CREATE ROLE nobody_here LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END "
      "$$");
  auto status = migrate(database_ + " user=nobody_here");
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kDenied);
}

TEST_F(Migrator, AServerThatIsNotThereIsUnavailable) {
  auto status = migrate("host=/nonexistent/socket/folder dbname=x");
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, base::ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace fleetmark::coordinator::store
