#include "coordinator/store/embedded_postgres.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/platform/files.h"
#include "common/platform/process.h"
#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

constexpr const char* kHoldFolder = "FLEETMARK_TEST_HOLD_FOLDER";

class EmbeddedServer : public ::testing::Test {
 protected:
  void SetUp() override { root_ = must(platform::makeTemporaryFolder("fm-embedded-")); }
  void TearDown() override { EXPECT_TRUE(platform::removeTree(root_).has_value()); }

  EmbeddedPostgresOptions options(const std::string& name = "postgres") const {
    EmbeddedPostgresOptions out;
    out.dataFolder = root_ + "/" + name;
    out.initialData = must(support::TestPostgres::initialData());
    return out;
  }
  static std::string sql(const EmbeddedPostgres& server, const std::string& statements) {
    return support::TestPostgres::sql(server.connectionString(), statements);
  }
  // Another process that holds a server on options().dataFolder until it is killed.
  std::unique_ptr<platform::Process> holdElsewhere() {
    platform::SpawnOptions spawn;
    spawn.program = platform::ownExecutable();
    spawn.arguments = {"--gtest_filter=EmbeddedHolder.*"};
    spawn.environment = {std::string(kHoldFolder) + "=" + options().dataFolder};
    spawn.pipeStdout = true;
    auto process = must(platform::spawn(spawn));
    std::string said;
    while (said.find("holding") == std::string::npos) {
      auto read = must(process->readStdout(4096, std::chrono::seconds(60)));
      if (read.eof || read.timedOut) throw std::runtime_error("no server elsewhere: " + said);
      said += read.bytes;
    }
    return process;
  }
  // A zombie that nobody reaps is not running.
  static bool isRunning(std::int64_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    file >> number >> name >> state;
    return !state.empty() && state != "Z";
  }
  std::int64_t postmasterPid() const {
    std::ifstream file(options().dataFolder + "/data/postmaster.pid");
    std::int64_t pid = 0;
    file >> pid;
    return pid;
  }

  std::string root_;
};

TEST_F(EmbeddedServer, IsPrivate) {
  auto server = must(EmbeddedPostgres::start(options()));
  EXPECT_EQ(sql(*server, "SHOW listen_addresses"), "");
  EXPECT_EQ(sql(*server, "SHOW fsync"), "on");
  EXPECT_EQ(sql(*server, "SELECT current_database() || ' ' || current_user"),
            "fleetmark fleetmark");
  struct stat about {};
  ASSERT_EQ(::stat((options().dataFolder + "/data").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  EXPECT_EQ(about.st_uid != 0, true);  // never as root
  ASSERT_EQ(::stat((options().dataFolder + "/socket").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
}

TEST_F(EmbeddedServer, KeepsItsDataOverAStop) {
  {
    auto server = must(EmbeddedPostgres::start(options()));
    sql(*server, "CREATE TABLE kept (i int); INSERT INTO kept VALUES (42)");
    must(server->stop());
    EXPECT_EQ(server->pid(), 0);
    must(server->restart());
    EXPECT_EQ(sql(*server, "SELECT i FROM kept"), "42");
  }
  auto server = must(EmbeddedPostgres::start(options()));
  EXPECT_EQ(sql(*server, "SELECT i FROM kept"), "42");
}

TEST_F(EmbeddedServer, ComesBackWhenThePostmasterIsKilled) {
  auto server = must(EmbeddedPostgres::start(options()));
  sql(*server, "CREATE TABLE kept (i int); INSERT INTO kept VALUES (42)");
  auto before = server->pid();
  ASSERT_EQ(::kill(static_cast<pid_t>(before), SIGKILL), 0);
  while (server->pid() == before || server->pid() == 0) std::this_thread::yield();
  std::string kept;
  while (kept.empty()) {
    try {
      kept = sql(*server, "SELECT i FROM kept");
    } catch (const std::exception&) {  // recovering
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(kept, "42");
}

TEST_F(EmbeddedServer, EndsWithItsCoordinatorAndStartsAgain) {
  auto holder = holdElsewhere();
  auto pid = postmasterPid();
  ASSERT_GT(pid, 0);
  ASSERT_EQ(::kill(static_cast<pid_t>(holder->pid()), SIGKILL), 0);
  holder->wait(std::chrono::seconds(10));
  auto server = must(EmbeddedPostgres::start(options()));
  EXPECT_NE(server->pid(), pid);
  EXPECT_FALSE(isRunning(pid));  // the old one
  EXPECT_EQ(sql(*server, "SELECT i FROM held"), "7");
}

TEST_F(EmbeddedServer, StartsAfterCoordinatorAndPostmasterWereKilled) {
  auto holder = holdElsewhere();
  auto pid = postmasterPid();
  // The coordinator first, or it would start another one; it must not be able to stop in between.
  ASSERT_EQ(::kill(static_cast<pid_t>(holder->pid()), SIGSTOP), 0);
  ASSERT_EQ(::kill(static_cast<pid_t>(pid), SIGKILL), 0);
  ASSERT_EQ(::kill(static_cast<pid_t>(holder->pid()), SIGKILL), 0);
  holder->wait(std::chrono::seconds(10));
  EXPECT_TRUE(platform::exists(options().dataFolder + "/data/postmaster.pid"));
  auto server = must(EmbeddedPostgres::start(options()));
  EXPECT_EQ(sql(*server, "SELECT i FROM held"), "7");
}

TEST_F(EmbeddedServer, ALeftoverPidFileOfAnotherProcessDoesNotMatter) {
  { auto server = must(EmbeddedPostgres::start(options())); }
  std::string file = options().dataFolder + "/data/postmaster.pid";
  std::ofstream(file) << ::getpid() << "\n"
                      << options().dataFolder << "/data\n1\n5432\n"
                      << options().dataFolder << "/socket\n\n  0 0\nready\n";
  if (::geteuid() == 0) must(platform::changeOwner(file, "postgres"));
  auto server = must(EmbeddedPostgres::start(options()));
  EXPECT_EQ(sql(*server, "SELECT 1"), "1");
}

TEST_F(EmbeddedServer, ALongDataFolderHasItsSocketElsewhere) {
  auto server = must(EmbeddedPostgres::start(options(std::string(100, 'x'))));
  EXPECT_EQ(sql(*server, "SELECT 1"), "1");
  std::string folder = sql(*server, "SHOW unix_socket_directories");
  EXPECT_LT(folder.size(), 60u);
  server.reset();
  EXPECT_FALSE(platform::exists(folder));
}

TEST_F(EmbeddedServer, ABrokenServerIsExplainedFromItsLog) {
  auto broken = options();
  broken.settings = {"no_such_setting=1"};
  auto server = EmbeddedPostgres::start(broken);
  EXPECT_EQ(codeOf(server), base::ErrorCode::kUnavailable);
  EXPECT_NE(server.error().message.find("no_such_setting"), std::string::npos)
      << server.error().message;
}

TEST_F(EmbeddedServer, ARelativeFolderIsRefused) {
  EmbeddedPostgresOptions bad;
  bad.dataFolder = "data";
  EXPECT_EQ(codeOf(EmbeddedPostgres::start(bad)), base::ErrorCode::kInvalid);
}

TEST_F(EmbeddedServer, AWrongBinFolderIsNamed) {
  ASSERT_EQ(::setenv("FLEETMARK_POSTGRES_BIN", "/nonexistent", 1), 0);
  auto found = findPostgres("");
  ::unsetenv("FLEETMARK_POSTGRES_BIN");
  EXPECT_EQ(codeOf(found), base::ErrorCode::kNotFound);
  EXPECT_NE(found.error().message.find("FLEETMARK_POSTGRES_BIN"), std::string::npos);
  EXPECT_TRUE(findPostgres("").has_value());
}

TEST_F(EmbeddedServer, AHalfMadeDataFolderIsMadeAnew) {
  auto fresh = options();
  must(platform::makePrivateFolder(fresh.dataFolder + "/data.new"));
  std::ofstream(fresh.dataFolder + "/data.new/rubbish") << "x";
  auto server = must(EmbeddedPostgres::start(fresh));
  EXPECT_EQ(sql(*server, "SELECT 1"), "1");
}

// Run by holdElsewhere() alone.
TEST(EmbeddedHolder, HoldsAServer) {
  const char* folder = std::getenv(kHoldFolder);
  if (folder == nullptr) GTEST_SKIP() << "a helper of other tests, which start it themselves";
  EmbeddedPostgresOptions options;
  options.dataFolder = folder;
  options.initialData = must(support::TestPostgres::initialData());
  auto server = must(EmbeddedPostgres::start(options));
  support::TestPostgres::sql(server->connectionString(),
                             "CREATE TABLE held (i int); INSERT INTO held VALUES (7)");
  std::puts("holding");
  std::fflush(stdout);
  while (true) ::pause();
}

}  // namespace
}  // namespace fleetmark::coordinator::store
