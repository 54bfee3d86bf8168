#include "coordinator/store/embedded_postgres.h"

#include <libpq-fe.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <future>
#include <mutex>
#include <thread>

#include "common/base/log.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "coordinator/store/postgres_files.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::Nanos kPoll = milliseconds(20);
constexpr base::Nanos kStopLimit = seconds(30);  // of a fast stop
constexpr std::size_t kMostSocketPath = 107;
constexpr std::string_view kSocketName = "/.s.PGSQL.5432";

std::string connectionTo(const std::string& socketFolder, const std::string& database) {
  return "host='" + socketFolder + "' port=5432 user=fleetmark dbname=" + database;
}

PGPing ping(const std::string& socketFolder) {
  return PQping((connectionTo(socketFolder, "postgres") + " connect_timeout=2").c_str());
}

std::vector<std::string> serverArguments(const PostgresFiles& files,
                                         const std::string& socketFolder,
                                         const EmbeddedPostgresOptions& options) {
  std::vector<std::string> out = {"-D", files.dataFolder};
  auto set = [&out](const std::string& setting) {
    out.emplace_back("-c");
    out.push_back(setting);
  };
  set("listen_addresses=");
  set("port=5432");
  set("unix_socket_directories=" + socketFolder);
  set("unix_socket_permissions=0700");
  set(options.diskSync == DiskSync::kOn ? "fsync=on" : "fsync=off");
  // What a single small machine needs, and nothing that would disturb a measurement beside it.
  set("shared_buffers=64MB");
  set("max_connections=120");
  set("max_wal_senders=0");
  set("wal_level=minimal");
  set("max_wal_size=256MB");
  set("recovery_init_sync_method=syncfs");
  set("max_parallel_workers_per_gather=0");
  set("jit=off");
  set("logging_collector=off");
  set("log_checkpoints=off");
  set("lc_messages=C");
  set("timezone=UTC");
  for (const auto& setting : options.settings) set(setting);
  return out;
}

}  // namespace

// The server process, watched by a thread of its own. That thread starts it: the kernel ends a
// child when the thread that started it ends, and this one lives as long as the server should.
class EmbeddedPostgres::Server {
 public:
  explicit Server(EmbeddedPostgresOptions options) : options_(std::move(options)) {}
  ~Server() {
    [[maybe_unused]] auto stopped = stop();
    if (!socketFolder_.empty()) [[maybe_unused]]
      auto removed = platform::removeTree(socketFolder_);
  }

  base::Status prepare() {
    FM_TRY_ASSIGN(files_, prepareFiles(options_));
    FM_TRY(clearOldServer());
    FM_TRY(makeSocketFolder());
    if (!files_.user.empty()) {
      FM_TRY(platform::changeOwner(socketFolder_, files_.user));
    }
    connectionString_ = connectionTo(socketFolder_, "fleetmark");
    return {};
  }

  base::Status run() {
    if (watcher_.joinable()) return {};
    stopping_ = false;
    ended_ = false;
    std::promise<base::Status> started;
    auto answer = started.get_future();
    watcher_ = std::thread([this, &started] {
      base::Status up = launch();
      bool good = up.has_value();
      started.set_value(std::move(up));
      if (good) watch();
      pid_ = 0;
    });
    base::Status up = answer.get();
    if (!up) {
      watcher_.join();
      return up;
    }
    return makeDatabase();
  }

  base::Status stop() {
    if (!watcher_.joinable()) return {};
    stopping_ = true;
    {
      std::lock_guard lock(mutex_);
      if (process_) process_->interrupt();
    }
    bool clean = waitUntilEnded(kStopLimit);
    if (!clean) killNow();
    watcher_.join();
    if (clean) return {};
    return base::unavailable(
        "PostgreSQL did not stop within 30 s and was killed; it recovers at "
        "its next start; see " +
        files_.logFile);
  }

  void kill() {
    stopping_ = true;
    killNow();
    if (watcher_.joinable()) watcher_.join();
  }

  const std::string& connectionString() const { return connectionString_; }
  std::int64_t pid() const { return pid_; }

 private:
  // Within the data folder where the path is short enough; what a killed server left there goes.
  base::Status makeSocketFolder() {
    std::string own = options_.dataFolder + "/socket";
    if (own.size() + kSocketName.size() <= kMostSocketPath) {
      FM_TRY(platform::removeTree(own));
      socketFolder_ = own;
      return platform::makePrivateFolder(own);
    }
    FM_TRY_ASSIGN(socketFolder_, platform::makeTemporaryFolder("fm-pg-"));
    if (socketFolder_.size() + kSocketName.size() > kMostSocketPath) {
      return base::invalid("the socket path in '" + socketFolder_ +
                           "' would be longer than 107 bytes; set TMPDIR to a shorter folder");
    }
    std::string record = options_.dataFolder + "/socket_folder";
    if (auto before = platform::readFile(record, 4096);
        before && before->find("/fm-pg-") != std::string::npos) {
      FM_TRY(platform::removeTree(*before));
    }
    return platform::writePrivateFile(record, socketFolder_);
  }

  base::Status spawn() {
    platform::SpawnOptions options;
    options.program = files_.binFolder + "/postgres";
    options.arguments = serverArguments(files_, socketFolder_, options_);
    options.environment = {"LC_ALL=C"};
    options.workingDirectory = "/";
    options.runAsUser = files_.user;
    options.dieSignal = SIGINT;  // a fast stop
    options.stdoutFile = files_.logFile;
    FM_TRY_ASSIGN(auto process, platform::spawn(options));
    std::lock_guard lock(mutex_);
    process_ = std::move(process);
    pid_ = process_->pid();
    return {};
  }

  // Until it answers. A predecessor's last children may hold its memory or its lock file for a
  // moment (the longest is the sync at the start of a crash recovery), so a server that ends for
  // that reason is started again while there is time.
  base::Status launch() {
    base::Nanos waited{0};
    FM_TRY(spawn());
    while (waited < options_.startLimit && !stopping_) {
      if (ping(socketFolder_) == PQPING_OK) return {};
      auto ended = process_->wait(kPoll);
      waited += kPoll;
      if (!ended) continue;
      std::string log = logTail(files_.logFile);
      bool predecessor = log.find("pre-existing shared memory") != std::string::npos ||
                         log.find("postmaster.pid") != std::string::npos;
      if (!predecessor) {
        return base::unavailable("PostgreSQL ended at its start (" + ended->describe() +
                                 "): " + log + "; see " + files_.logFile);
      }
      if (waited > seconds(5)) removeStalePostmasterFile(files_.dataFolder);
      pause(milliseconds(500));
      waited += milliseconds(500);
      if (!stopping_) {
        FM_TRY(spawn());
      }
    }
    // Killed, it would leave a child in recovery that holds its memory.
    process_->interrupt();
    if (!process_->wait(kStopLimit)) killNow();
    return base::unavailable("PostgreSQL does not answer after " +
                             base::formatDuration(options_.startLimit) + ": " +
                             logTail(files_.logFile) + "; see " + files_.logFile);
  }

  void watch() {
    while (true) {
      auto ended = process_->wait(milliseconds(200));
      if (!ended) continue;
      pid_ = 0;
      if (stopping_) break;
      base::log(base::LogLevel::kError, "database.ended",
                {{"how", ended->describe()}, {"log", files_.logFile}});
      base::Status up = launch();
      while (!up && !stopping_) {
        base::log(base::LogLevel::kError, "database.restart_failed",
                  {{"error", up.error().message}});
        pause(seconds(2));
        if (!stopping_) up = launch();
      }
      if (!stopping_)
        base::log(base::LogLevel::kInfo, "database.restarted", {{"pid", pid_.load()}});
    }
    std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // A server of a coordinator that was killed. It got SIGINT from the kernel and is about to stop;
  // one that did not is stopped by pg_ctl, once it has said that the data folder is this one.
  base::Status clearOldServer() {
    auto old = readPostmasterFile(files_.dataFolder);
    if (!old || !old->socketFolder.starts_with('/')) return {};
    base::Nanos waited{0};
    bool told = false;
    while (ping(old->socketFolder) != PQPING_NO_RESPONSE) {
      if (waited > kStopLimit) {
        return base::conflict("another PostgreSQL (process " + old->pid + ") uses " +
                              files_.dataFolder + " and does not stop; end it first");
      }
      if (!told && waited > seconds(1) && usesOurData(old->socketFolder)) {
        FM_TRY(stopWithPgCtl());
        told = true;
      }
      pause(milliseconds(100));
      waited += milliseconds(100);
    }
    return {};
  }

  bool usesOurData(const std::string& socketFolder) {
    try {
      compat::QuietConnection connection(connectionTo(socketFolder, "postgres"));
      pqxx::work work(connection.get());
      auto rows = work.exec("SHOW data_directory");
      return RowReader(rows[0]).text() == files_.dataFolder;
    } catch (...) {
      return false;
    }
  }

  base::Status stopWithPgCtl() {
    platform::SpawnOptions options;
    options.program = files_.binFolder + "/pg_ctl";
    options.arguments = {"stop", "-D", files_.dataFolder, "-m", "fast", "-W", "-s"};
    options.workingDirectory = "/";
    options.runAsUser = files_.user;
    options.stdoutFile = files_.logFile;
    FM_TRY_ASSIGN(auto process, platform::spawn(options));
    process->wait(seconds(10));
    return {};
  }

  base::Status makeDatabase() {
    try {
      compat::QuietConnection connection(connectionTo(socketFolder_, "postgres"));
      pqxx::nontransaction session(connection.get());
      auto rows = session.exec("SELECT FROM pg_database WHERE datname = 'fleetmark'");
      if (rows.empty()) session.exec("CREATE DATABASE fleetmark");
      return {};
    } catch (...) {
      return currentError();
    }
  }

  void pause(base::Nanos limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, limit, [this] { return stopping_.load(); });
  }

  bool waitUntilEnded(base::Nanos limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return ended_; });
  }

  void killNow() {
    std::lock_guard lock(mutex_);
    if (process_) process_->killTree();
  }

  EmbeddedPostgresOptions options_;
  PostgresFiles files_;
  std::string socketFolder_;
  std::string connectionString_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> pid_{0};
  std::mutex mutex_;  // process_ (its replacing), ended_
  std::condition_variable changed_;
  std::unique_ptr<platform::Process> process_;
  bool ended_ = false;
  std::thread watcher_;
};

EmbeddedPostgres::EmbeddedPostgres(std::unique_ptr<Server> server) : server_(std::move(server)) {}
EmbeddedPostgres::~EmbeddedPostgres() = default;

base::Result<std::unique_ptr<EmbeddedPostgres>> EmbeddedPostgres::start(
    const EmbeddedPostgresOptions& options) {
  auto server = std::make_unique<Server>(options);
  FM_TRY(server->prepare());
  FM_TRY(server->run());
  return std::unique_ptr<EmbeddedPostgres>(new EmbeddedPostgres(std::move(server)));
}

const std::string& EmbeddedPostgres::connectionString() const {
  return server_->connectionString();
}
std::int64_t EmbeddedPostgres::pid() const { return server_->pid(); }
base::Status EmbeddedPostgres::stop() { return server_->stop(); }
void EmbeddedPostgres::kill() { server_->kill(); }
base::Status EmbeddedPostgres::restart() {
  FM_TRY(server_->stop());
  return server_->run();
}

}  // namespace fleetmark::coordinator::store
