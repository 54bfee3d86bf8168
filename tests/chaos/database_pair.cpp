#include "tests/chaos/database_pair.h"

#include <signal.h>

#include <chrono>
#include <fstream>
#include <pqxx/pqxx>

#include "common/platform/files.h"
#include "common/platform/process.h"
#include "tests/chaos/failure.h"
#include "tests/chaos/wait.h"
#include "tests/support/test_database.h"

namespace fleetmark::chaos {

namespace {

namespace store = coordinator::store;
using std::chrono::seconds;

constexpr auto kLimit = seconds(60);

std::string slotName(int slot) { return slot == 0 ? "a" : "b"; }

// The user that EmbeddedPostgres runs the server as; empty: this one.
std::string giveToServerUser(const std::string& folder) {
  if (!platform::runningAsRoot()) return {};
  for (const char* user : {"postgres", "nobody"}) {
    if (platform::changeOwner(folder, user)) return user;
  }
  throw HarnessFailure("this machine has neither the user postgres nor nobody");
}

std::vector<Row> ask(const std::string& connectionString, const std::string& statement) {
  pqxx::connection connection(connectionString);
  pqxx::nontransaction session(connection);
  std::vector<Row> out;
  for (const auto& row : session.exec(statement)) {
    Row fields;
    for (const auto& field : row) fields.emplace_back(field.is_null() ? "" : field.c_str());
    out.push_back(std::move(fields));
  }
  return out;
}

}  // namespace

DatabasePair::DatabasePair(std::string folder) : folder_(std::move(folder)) {
  must(platform::makePrivateFolder(folder_), "the databases' folder");
  auto first = options(0);
  first.initialData = must(support::TestPostgres::initialData(), "PostgreSQL's template");
  servers_[0] = must(store::EmbeddedPostgres::start(first), "the primary");
  makeStandby();
}

DatabasePair::~DatabasePair() = default;

std::string DatabasePair::folder(int slot) const { return folder_ + "/" + slotName(slot); }
std::string DatabasePair::socketPath(int slot) const {
  return folder(slot) + "/socket/.s.PGSQL.5432";
}
std::string DatabasePair::connection(int slot) const {
  return "host='" + folder(slot) +
         "/socket' port=5432 user=fleetmark dbname=fleetmark connect_timeout=3";
}

store::EmbeddedPostgresOptions DatabasePair::options(int slot) const {
  store::EmbeddedPostgresOptions out;
  out.dataFolder = folder(slot);
  // Processes are killed here, not machines: what a process wrote stays with the kernel.
  out.diskSync = store::DiskSync::kOff;
  out.settings = {"wal_level=replica",       "max_wal_senders=8",
                  "hot_standby=on",          "wal_keep_size=64MB",
                  "synchronous_commit=on",   "wal_sender_timeout=5s",
                  "wal_receiver_timeout=5s", "wal_retrieve_retry_interval=500ms"};
  return out;
}

void DatabasePair::execute(int slot, const std::string& statement, const std::string& what) const {
  std::string last;
  bool done = waitFor(kLimit, [&] {
    try {
      ask(connection(slot), statement);
      return true;
    } catch (const std::exception& e) {
      last = e.what();
      return false;
    }
  });
  if (!done) throw HarnessFailure(what + ": " + last);
}

void DatabasePair::killPrimary() { servers_[primary_]->kill(); }
void DatabasePair::restartPrimary() { must(servers_[primary_]->restart(), "the primary's return"); }
void DatabasePair::killStandby() { servers_[1 - primary_]->kill(); }
void DatabasePair::restartStandby() {
  must(servers_[1 - primary_]->restart(), "the standby's return");
}

void DatabasePair::promoteStandby() {
  int next = 1 - primary_;
  execute(next, "SELECT pg_promote(true, 30)", "promoting the standby");
  // The old primary never comes back: a new standby is made from the new primary.
  servers_[primary_].reset();
  must(platform::removeTree(folder(primary_)), "removing the old primary");
  primary_ = next;
}

void DatabasePair::makeStandby() {
  int slot = 1 - primary_;
  copyFromPrimary(slot);
  servers_[slot] = must(store::EmbeddedPostgres::start(options(slot)), "the standby");
  execute(primary_,
          "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby_" + slotName(slot) + ")'",
          "naming the standby");
  execute(primary_, "SELECT pg_reload_conf()", "reading the settings");
  waitForStandby();
}

void DatabasePair::copyFromPrimary(int slot) const {
  std::string data = folder(slot) + "/data";
  must(platform::makePrivateFolder(folder(slot)), "the standby's folder");
  must(platform::makePrivateFolder(data), "the standby's data folder");
  platform::SpawnOptions options;
  options.runAsUser = giveToServerUser(data);
  if (!options.runAsUser.empty()) {
    must(platform::letEnter(folder(slot), options.runAsUser), "the standby's folder");
  }
  options.program = must(store::findPostgres(""), "PostgreSQL") + "/pg_basebackup";
  options.arguments = {"-d",   connection(primary_) + " application_name=standby_" + slotName(slot),
                       "-D",   data,
                       "-X",   "stream",
                       "-R",   "-c",
                       "fast", "--no-sync"};
  options.environment = {"LC_ALL=C"};
  options.workingDirectory = "/";
  options.stdoutFile = folder_ + "/basebackup.log";
  auto copy = must(platform::spawn(options), "pg_basebackup");
  auto status = copy->wait(kLimit);
  if (!status || !status->clean()) {
    throw HarnessFailure("pg_basebackup could not copy the primary; see " + options.stdoutFile);
  }
  // Once promoted it waits for nobody, until it has a standby of its own. The last line counts.
  std::ofstream(data + "/postgresql.auto.conf", std::ios::app)
      << "\nsynchronous_standby_names = ''\n";
}

void DatabasePair::waitForStandby() const {
  bool there = waitFor(kLimit, [&] {
    try {
      return !ask(connection(primary_),
                  "SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN"
                  " ('sync', 'quorum')")
                  .empty();
    } catch (const std::exception&) {
      return false;
    }
  });
  if (!there) throw HarnessFailure("the standby does not follow; see " + folder_);
}

bool DatabasePair::killBackend() {
  auto rows = query(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'fleetmark-coordinator'"
      " ORDER BY state = 'active' DESC, pid LIMIT 1");
  if (rows.empty()) return false;
  return ::kill(std::stoi(rows[0][0]), SIGKILL) == 0;
}

int DatabasePair::terminateBackends(int most) {
  auto rows = query(
      "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity"
      " WHERE application_name = 'fleetmark-coordinator' ORDER BY md5(pid::text || now()::text)"
      " LIMIT " +
      std::to_string(most) + ") x");
  return std::stoi(rows.at(0).at(0));
}

std::vector<Row> DatabasePair::query(const std::string& statement) const {
  return ask(connection(primary_), statement);
}

void DatabasePair::stop() {
  for (auto& server : servers_) {
    if (server) must(server->stop(), "stopping PostgreSQL");
  }
}

}  // namespace fleetmark::chaos
