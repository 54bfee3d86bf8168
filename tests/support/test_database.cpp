#include "tests/support/test_database.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <pqxx/pqxx>
#include <thread>

#include "common/crypto/digest.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "coordinator/store/migrator.h"

namespace fleetmark::support {

namespace fs = std::filesystem;
namespace store = coordinator::store;

namespace {

constexpr std::string_view kPrefix = "fm-test-";
constexpr const char* kTemplate = "fleetmark_template";

template <typename T>
T must(base::Result<T> result, const char* what) {
  if (!result) {
    std::fprintf(stderr, "test_database: %s: %s\n", what, result.error().message.c_str());
    std::abort();
  }
  return std::move(result).value();
}

std::string withDatabase(const std::string& connectionString, const std::string& name) {
  std::size_t at = connectionString.find("dbname=");
  return connectionString.substr(0, at) + "dbname=" + name;
}

std::string execute(const std::string& connectionString, const std::string& statements) {
  pqxx::connection connection(connectionString);
  pqxx::nontransaction session(connection);
  auto rows = session.exec(statements);
  if (rows.empty() || rows.columns() == 0 || rows[0][0].is_null()) return {};
  return rows[0][0].c_str();
}

// Waits for whoever holds it.
base::Result<std::unique_ptr<platform::FileLock>> lockPatiently(const std::string& path) {
  for (int tries = 0;; ++tries) {
    auto lock = platform::lockFile(path);
    if (lock || lock.error().code != base::ErrorCode::kConflict || tries > 1200) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// Folders of test processes that were killed: nobody holds their lock any more.
void removeStaleFolders(const fs::path& root) {
  std::error_code error;
  auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator item(root, error), end; !error && item != end;
       item.increment(error)) {
    if (!item->path().filename().string().starts_with(kPrefix)) continue;
    std::error_code ignored;
    // A younger one may not have its lock yet.
    if (now - fs::last_write_time(item->path(), ignored) < std::chrono::minutes(5)) continue;
    auto lock = platform::lockFile(item->path().string() + "/lock");
    if (!lock) continue;
    [[maybe_unused]] auto removed = platform::removeTree(item->path().string());
  }
}

base::Status fillTemplate(const std::string& folder) {
  store::EmbeddedPostgresOptions options;
  options.dataFolder = folder;
  options.diskSync = store::DiskSync::kOff;
  FM_TRY_ASSIGN(auto server, store::EmbeddedPostgres::start(options));
  try {
    execute(server->connectionString(), std::string("CREATE DATABASE ") + kTemplate);
  } catch (const std::exception& e) {
    return base::unavailable(e.what());
  }
  FM_TRY(store::migrate(withDatabase(server->connectionString(), kTemplate)));
  return server->stop();
}

// The data folder to copy: one for each set of migrations and each PostgreSQL.
base::Result<std::string> templateData() {
  FM_TRY_ASSIGN(auto bin, store::findPostgres(""));
  std::string key = crypto::sha256Hex(store::printMigrations() + bin).substr(0, 12);
  std::string cache = FLEETMARK_TEST_CACHE;
  FM_TRY(platform::makePrivateFolder(cache));
  std::string whole = cache + "/postgres-" + key;
  std::string data = whole + "/data";
  if (platform::exists(data)) return data;
  FM_TRY_ASSIGN(auto lock, lockPatiently(cache + "/lock"));
  if (platform::exists(data)) return data;
  // The server's user must be able to enter it, which the build tree may not allow.
  FM_TRY_ASSIGN(auto workshop, platform::makeTemporaryFolder(std::string(kPrefix)));
  FM_TRY_ASSIGN(auto workshopLock, platform::lockFile(workshop + "/lock"));
  auto filled = fillTemplate(workshop + "/postgres");
  std::error_code error;
  if (filled) {
    fs::create_directories(whole + ".new", error);
    fs::remove_all(whole + ".new/data", error);
    fs::copy(workshop + "/postgres/data", whole + ".new/data", fs::copy_options::recursive, error);
    if (!error) fs::rename(whole + ".new", whole, error);
  }
  FM_TRY(platform::removeTree(workshop));
  FM_TRY(filled);
  if (error)
    return base::unavailable("can't keep the template in " + whole + ": " + error.message());
  return data;
}

}  // namespace

struct TestPostgres::Folder {
  std::string path;
  std::unique_ptr<platform::FileLock> lock;
  ~Folder() {
    lock.reset();
    if (path.empty()) return;
    [[maybe_unused]] auto removed = platform::removeTree(path);
  }
};

TestPostgres::~TestPostgres() = default;

base::Result<std::unique_ptr<TestPostgres>> TestPostgres::make(DiskSync sync,
                                                               std::vector<std::string> settings) {
  store::EmbeddedPostgresOptions options;
  FM_TRY_ASSIGN(options.initialData, templateData());
  std::unique_ptr<TestPostgres> out(new TestPostgres);
  out->folder_ = std::make_unique<Folder>();
  FM_TRY_ASSIGN(out->folder_->path, platform::makeTemporaryFolder(std::string(kPrefix)));
  FM_TRY_ASSIGN(out->folder_->lock, platform::lockFile(out->folder_->path + "/lock"));
  removeStaleFolders(fs::path(out->folder_->path).parent_path());
  options.dataFolder = out->folder_->path + "/postgres";
  options.diskSync = sync;
  options.settings = std::move(settings);
  FM_TRY_ASSIGN(out->server_, store::EmbeddedPostgres::start(options));
  return out;
}

base::Result<std::string> TestPostgres::initialData() { return templateData(); }

TestPostgres& TestPostgres::shared() {
  static std::unique_ptr<TestPostgres> server = must(make(), "start");
  return *server;
}

std::string TestPostgres::makeDatabase(const std::string& from) {
  std::string name = "test_" + std::to_string(++databases_);
  try {
    execute(withDatabase(server_->connectionString(), "postgres"),
            "CREATE DATABASE " + name + " TEMPLATE " + from);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "test_database: create %s: %s\n", name.c_str(), e.what());
    std::abort();
  }
  return withDatabase(server_->connectionString(), name);
}

std::string TestPostgres::freshDatabase() { return makeDatabase(kTemplate); }
std::string TestPostgres::bareDatabase() { return makeDatabase("template0"); }

std::string TestPostgres::sql(const std::string& connectionString, const std::string& statements) {
  return execute(connectionString, statements);
}

}  // namespace fleetmark::support
