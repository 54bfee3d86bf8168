// The coordinator on a PostgreSQL that somebody else keeps, and what that one can do to it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/fleet.h"
#include "tests/support/test_database.h"

namespace fleetmark::tests::e2e {
namespace {

namespace fs = std::filesystem;
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
  EXPECT_NE(away.err.find("database"), std::string::npos) << away.err;
  ASSERT_TRUE((*postgres)->restart());
  ASSERT_TRUE(fleet.waitForState(id, "done")) << fleet.log("coordinator") << fleet.log("a");
  EXPECT_EQ(fleet.sql("select n from results where campaign_id = " + id), "40");
}

// What stands behind each "cursor":" of the lines, with a blank after each.
std::string cursorsIn(const std::string& lines) {
  const std::string key = "\"cursor\":\"";
  std::string out;
  for (auto at = lines.find(key); at != std::string::npos; at = lines.find(key, at + 1)) {
    auto begin = at + key.size();
    out += lines.substr(begin, lines.find('"', begin) - begin) + " ";
  }
  return out;
}

TEST(ExternalDatabase, AWatchGoesOnOverACoordinatorsEndWithoutGapsOrRepeats) {
  auto postgres = TestPostgres::make();
  ASSERT_TRUE(postgres) << postgres.error().message;
  std::string database = (*postgres)->bareDatabase();
  Fleet fleet;
  fleet.startCoordinator({"--database", database});
  fleet.startAgent("a");
  std::string id = fleet.submit(
      "campaign: watched\nrunners: [{name: a}]\n"
      "probes:\n  - selftest: {samples: 60, interval: 50ms, seed: 7}\n"
      "  - selftest: {samples: 3, seed: 8}\n",
      {"--wait"});
  auto watch = fleet.spawn(program("fleetmark"),
                           {"--coordinator", fleet.address(), "--identity",
                            fleet.folder() + "/data/pki/operator", "watch", id, "--json"},
                           "watch");
  ASSERT_TRUE(
      eventually([&] { return fleet.log("watch").find("step.samples") != std::string::npos; }));
  fleet.coordinator().killTree();
  ASSERT_TRUE(fleet.coordinator().wait(std::chrono::seconds(20)));
  fleet.startCoordinator({"--database", database});
  ASSERT_TRUE(fleet.waitForState(id, "done")) << fleet.log("coordinator");
  auto ended = watch->wait(std::chrono::seconds(60));
  ASSERT_TRUE(ended) << fleet.log("watch");
  EXPECT_EQ(ended->code, 0) << fleet.log("watch");
  EXPECT_EQ(cursorsIn(fleet.log("watch")),
            (*postgres)->sql(database,
                             "SELECT string_agg(xid || '-' || id || ' ', '' ORDER BY xid, id) "
                             "FROM fleetmark.event WHERE campaign_id = " +
                                 id));
}

// Neither comes back: what goes on goes on at the other one, which never saw the agent or the
// watch.
TEST(ExternalDatabase, AnAgentAndAWatchMoveToAnotherCoordinator) {
  auto postgres = TestPostgres::make();
  ASSERT_TRUE(postgres) << postgres.error().message;
  std::string database = (*postgres)->bareDatabase();
  Fleet fleet;
  fleet.startCoordinator({"--database", database});
  // One fleet: the second has the authority of the first.
  std::string second = fleet.folder() + "/second";
  fs::create_directories(second + "/pki");
  for (const char* file : {"ca.pem", "ca.key"}) {
    fs::copy_file(fleet.folder() + "/data/pki/" + file, second + "/pki/" + file);
  }
  fs::permissions(second, fs::perms::owner_all);
  fs::permissions(second + "/pki", fs::perms::owner_all);
  auto other = fleet.spawn(program("fleetmark-coordinator"),
                           {"--data-dir", second, "--listen", "127.0.0.1:0", "--address-file",
                            second + "/address", "--database", database},
                           "second");
  ASSERT_TRUE(eventually([&] { return fs::exists(second + "/address"); })) << fleet.log("second");
  std::string address;
  std::ifstream(second + "/address") >> address;

  fleet.startAgent("a", {"--coordinator", address});
  std::string id = fleet.submit(
      "campaign: moved\nrunners: [{name: a}]\n"
      "probes:\n  - selftest: {samples: 60, interval: 50ms, seed: 7}\n"
      "  - selftest: {samples: 3, seed: 8}\n",
      {"--wait"});
  auto watch =
      fleet.spawn(program("fleetmark"),
                  {"--coordinator", fleet.address(), "--coordinator", address, "--identity",
                   fleet.folder() + "/data/pki/operator", "watch", id, "--json"},
                  "watch");
  ASSERT_TRUE(
      eventually([&] { return fleet.log("watch").find("step.samples") != std::string::npos; }));
  fleet.coordinator().killTree();
  ASSERT_TRUE(fleet.coordinator().wait(std::chrono::seconds(20)));
  auto ended = watch->wait(std::chrono::seconds(60));
  ASSERT_TRUE(ended) << fleet.log("watch") << fleet.log("second") << fleet.log("a");
  EXPECT_EQ(ended->code, 0) << fleet.log("watch");
  EXPECT_EQ(cursorsIn(fleet.log("watch")),
            (*postgres)->sql(database,
                             "SELECT string_agg(xid || '-' || id || ' ', '' ORDER BY xid, id) "
                             "FROM fleetmark.event WHERE campaign_id = " +
                                 id));
  EXPECT_EQ((*postgres)->sql(database,
                             "SELECT count(*) || ' attempts, ' || sum(n) || ' samples' FROM "
                             "fleetmark.results WHERE campaign_id = " +
                                 id),
            "2 attempts, 63 samples");
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
