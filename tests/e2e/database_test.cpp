// The coordinator on a PostgreSQL that somebody else keeps, and what that one can do to it.
#include <gtest/gtest.h>

#include "tests/e2e/fleet.h"
#include "tests/support/test_database.h"

namespace fleetmark::tests::e2e {
namespace {

using support::TestPostgres;

TEST(ExternalDatabase, StoppedInMidCampaignAndBackAndNothingIsLost) {
  auto postgres = TestPostgres::make();
  ASSERT_TRUE(postgres) << postgres.error().message;
  Fleet fleet;
  fleet.startCoordinator({"--database", (*postgres)->bareDatabase()});
  fleet.startAgent("a");
  std::string id = fleet.submit(
      "campaign: outage\nrunners: [{name: a}]\n"
      "probes: [selftest: {samples: 40, interval: 50ms, seed: 7}]\n",
      {"--wait"});
  ASSERT_TRUE(eventually(
      [&] { return fleet.sql("select count(*) from samples where campaign_id = " + id) != "0"; }));
  ASSERT_TRUE((*postgres)->stop());
  auto away = fleet.fleetmark({"status", id});
  EXPECT_EQ(away.exitCode, 3) << away.out << away.err;
  ASSERT_TRUE((*postgres)->restart());
  ASSERT_TRUE(fleet.waitForState(id, "done")) << fleet.log("coordinator") << fleet.log("a");
  EXPECT_EQ(fleet.sql("select n from results where campaign_id = " + id), "40");
}

TEST(ExternalDatabase, DownAtStartSaysSoAndEndsWithExitCode3) {
  Fleet fleet;
  auto result = fleet.run(program("fleetmark-coordinator"),
                          {"--data-dir", fleet.folder() + "/d", "--listen", "127.0.0.1:0",
                           "--database", "host=/nonexistent dbname=fleetmark"});
  EXPECT_EQ(result.exitCode, 3) << result.err;
  EXPECT_NE(result.err.find("/nonexistent"), std::string::npos) << result.err;
}

TEST(ExternalDatabase, NewerThanTheProgramIsRefused) {
  auto& postgres = TestPostgres::shared();
  std::string database = postgres.freshDatabase();
  postgres.sql(database,
               "insert into fleetmark.schema_migrations (version, name, sha256)"
               " values (9999, 'future', repeat('0', 64))");
  Fleet fleet;
  auto result = fleet.run(
      program("fleetmark-coordinator"),
      {"--data-dir", fleet.folder() + "/d", "--listen", "127.0.0.1:0", "--database", database});
  EXPECT_EQ(result.exitCode, 2) << result.err;
  EXPECT_NE(result.err.find("newer"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("9999"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace fleetmark::tests::e2e
