#include <future>
#include <thread>

#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

using base::ErrorCode;

// A server of its own, because it is stopped and killed; each test leaves it running.
class Fault : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = must(support::TestPostgres::make(support::TestPostgres::DiskSync::kOff,
                                               {"max_wal_senders=2", "wal_level=replica"}));
  }
  static void TearDownTestSuite() { server_.reset(); }

  Fault() : connectionString_(server_->freshDatabase()), db_(open()) {}

  std::unique_ptr<ports::Database> open(base::Nanos lockTimeout = std::chrono::seconds(5),
                                        base::Nanos statementTimeout = std::chrono::seconds(60)) {
    DatabaseOptions options;
    options.connectionString = connectionString_;
    options.lockTimeout = lockTimeout;
    options.statementTimeout = statementTimeout;
    return openDatabase(std::move(options));
  }
  std::string sql(const std::string& statements) {
    return server_->sql(connectionString_, statements);
  }
  std::string campaigns() { return sql("SELECT count(*) FROM fleetmark.campaign"); }
  void terminateOthers() {
    sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name = 'fleetmark-coordinator'");
  }

  static inline std::unique_ptr<support::TestPostgres> server_;
  std::string connectionString_;
  std::unique_ptr<ports::Database> db_;
};

TEST_F(Fault, AServerThatIsDownIsUnavailableAndThenBack) {
  must(server_->stop());
  EXPECT_EQ(codeOf(db_->begin()), ErrorCode::kUnavailable);
  must(server_->restart());
  auto unit = must(db_->begin());
  must(unit->campaigns().insert(makeCampaign()));
  must(unit->commit());
  EXPECT_EQ(campaigns(), "1");
}

TEST_F(Fault, AServerKilledInAUnitLosesTheUnitAlone) {
  {
    auto unit = must(db_->begin());
    must(unit->campaigns().insert(makeCampaign()));
    must(unit->commit());
  }
  auto unit = must(db_->begin());
  must(unit->campaigns().insert(makeCampaign()));
  server_->kill();
  auto lost = unit->commit();
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code, ErrorCode::kUnavailable);
  unit.reset();
  EXPECT_EQ(codeOf(db_->begin()), ErrorCode::kUnavailable);
  must(server_->restart());
  EXPECT_TRUE(db_->begin().has_value());
  EXPECT_EQ(campaigns(), "1");
}

TEST_F(Fault, ASessionThatTheServerEndedBetweenUnitsIsReplaced) {
  must(must(db_->begin())->commit());
  terminateOthers();
  auto unit = must(db_->begin());
  must(unit->campaigns().insert(makeCampaign()));
  must(unit->commit());
  EXPECT_EQ(campaigns(), "1");
}

TEST_F(Fault, ASessionThatTheServerEndedInAUnitIsUnavailableOnce) {
  auto unit = must(db_->begin());
  must(unit->campaigns().insert(makeCampaign()));
  terminateOthers();
  EXPECT_EQ(codeOf(unit->campaigns().list(1)), ErrorCode::kUnavailable);
  EXPECT_EQ(unit->commit().error().code, ErrorCode::kUnavailable);
  unit.reset();
  EXPECT_TRUE(db_->begin().has_value());
  EXPECT_EQ(campaigns(), "0");
}

// A standby that never comes holds COMMIT after it is on disk; ending the session then leaves the
// client without an answer although the commit stands.
TEST_F(Fault, ACommitInDoubtIsUnavailableAndTryingAgainIsHarmless) {
  sql("ALTER SYSTEM SET synchronous_standby_names = 'ghost'");
  sql("SELECT pg_reload_conf()");
  auto campaign = makeCampaign();
  std::unique_ptr<ports::UnitOfWork> unit;
  base::CampaignId id;
  std::future<base::Status> commit;
  // The server reads its configuration in its own time: until then commits go through.
  bool held = false;
  for (int i = 0; !held; ++i) {
    campaign.requestKey = "try " + std::to_string(i);
    unit.reset();
    unit = must(db_->begin());
    id = must(unit->campaigns().insert(campaign));
    commit = std::async(std::launch::async, [&unit] { return unit->commit(); });
    while (!held && commit.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      held = sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "1";
    }
    if (!held) must(commit.get());
  }
  terminateOthers();
  auto doubt = commit.get();
  ASSERT_FALSE(doubt.has_value());
  EXPECT_EQ(doubt.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(doubt.error().message.find("may or may not"), std::string::npos)
      << doubt.error().message;
  unit.reset();
  sql("ALTER SYSTEM RESET synchronous_standby_names");
  sql("SELECT pg_reload_conf()");
  while (sql("SHOW synchronous_standby_names") != "") std::this_thread::yield();

  std::string before = campaigns();
  auto again = must(db_->begin());
  EXPECT_EQ(must(again->campaigns().insert(campaign)), id);  // it had been stored
  again.reset();
  EXPECT_EQ(campaigns(), before);
}

TEST_F(Fault, ALockTimeOutIsAConflict) {
  auto holder = must(db_->begin());
  auto id = must(holder->campaigns().insert(makeCampaign()));
  must(holder->commit());
  holder.reset();
  holder = must(db_->begin());
  must(holder->campaigns().lockState(id));
  auto impatient = open(std::chrono::milliseconds(100));
  auto unit = must(impatient->begin());
  EXPECT_EQ(codeOf(unit->campaigns().lockState(id)), ErrorCode::kConflict);
  unit.reset();
  auto slow = open(base::Nanos(0), std::chrono::seconds(1));
  unit = must(slow->begin());
  EXPECT_EQ(codeOf(unit->campaigns().lockState(id)), ErrorCode::kConflict);
  // A conflict is no reason to throw the connection away.
  unit.reset();
  EXPECT_TRUE(slow->begin().has_value());
}

TEST_F(Fault, ADeadlockIsAConflictForOne) {
  base::CampaignId first, second;
  {
    auto unit = must(db_->begin());
    first = must(unit->campaigns().insert(makeCampaign()));
    second = must(unit->campaigns().insert(makeCampaign()));
    must(unit->commit());
  }
  auto otherDb = open();
  auto one = must(db_->begin());
  auto other = must(otherDb->begin());
  must(one->campaigns().lockState(first));
  must(other->campaigns().lockState(second));
  auto crossing =
      std::async(std::launch::async, [&] { return other->campaigns().lockState(first); });
  auto mine = one->campaigns().lockState(second);
  if (!mine) one.reset();
  auto theirs = crossing.get();
  EXPECT_NE(mine.has_value(), theirs.has_value());
  EXPECT_EQ((mine ? theirs : mine).error().code, ErrorCode::kConflict);
}

TEST_F(Fault, AUnitMayOutliveItsConnection) {
  auto unit = must(db_->begin());
  EXPECT_FALSE(db_->begin().has_value());  // one at a time
  must(unit->campaigns().insert(makeCampaign()));
  db_.reset();
  must(unit->commit());
  EXPECT_EQ(campaigns(), "1");
}

}  // namespace
}  // namespace fleetmark::coordinator::store
