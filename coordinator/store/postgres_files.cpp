#include "coordinator/store/postgres_files.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "common/platform/files.h"
#include "common/platform/process.h"

namespace fleetmark::coordinator::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostLogBytes = 10'000'000;
constexpr std::size_t kMostSmallFile = 100'000;

bool hasPrograms(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "postgres", error) && fs::exists(folder / "initdb", error);
}

int majorOf(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Debian's layout, newest first.
std::vector<fs::path> debianFolders() {
  std::vector<fs::path> versions;
  std::error_code error;
  for (fs::directory_iterator item("/usr/lib/postgresql", error), end; !error && item != end;
       item.increment(error)) {
    versions.push_back(item->path());
  }
  std::sort(versions.begin(), versions.end(), [](const fs::path& a, const fs::path& b) {
    return majorOf(a.filename().string()) > majorOf(b.filename().string());
  });
  return versions;
}

std::optional<std::string> inPath() {
  const char* path = std::getenv("PATH");
  std::istringstream parts(path == nullptr ? "" : path);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.starts_with('/') || !hasPrograms(part)) continue;
    // initdb finds its other files from where it really is.
    std::error_code error;
    fs::path real = fs::canonical(fs::path(part) / "initdb", error);
    if (!error) return real.parent_path().string();
  }
  return std::nullopt;
}

// Who the server runs as: PostgreSQL refuses to run as root.
base::Result<std::string> giveAway(const std::string& folder) {
  for (const char* user : {"postgres", "nobody"}) {
    auto given = platform::changeOwner(folder, user);
    if (given) return std::string(user);
    if (given.error().code != base::ErrorCode::kNotFound) return given.error();
  }
  return base::unsupported(
      "PostgreSQL can't run as root, and this machine has neither the user postgres nor nobody; "
      "start the coordinator as another user, or give it a database with --database");
}

base::Status runInitdb(const PostgresFiles& files, const std::string& target, DiskSync sync) {
  platform::SpawnOptions options;
  options.program = files.binFolder + "/initdb";
  options.arguments = {"-D",   target,   "-U",    "fleetmark",  "-E",
                       "UTF8", "--auth", "trust", "--locale=C", "--no-instructions"};
  if (sync == DiskSync::kOff) {
    // Small segments: what tests copy is mostly the write-ahead log.
    options.arguments.insert(options.arguments.end(), {"--no-sync", "--wal-segsize=1"});
  }
  options.environment = {"LC_ALL=C"};
  options.workingDirectory = "/";
  options.runAsUser = files.user;
  options.stdoutFile = files.logFile;
  FM_TRY_ASSIGN(auto process, platform::spawn(options));
  auto ended = process->wait(std::chrono::minutes(5));
  if (ended && ended->clean()) return {};
  return base::unavailable("initdb could not make a database in " + target + " (" +
                           (ended ? ended->describe() : "not done after 5 min") +
                           "): " + logTail(files.logFile) + "; see " + files.logFile);
}

base::Status copyData(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy(from, to, fs::copy_options::recursive, error);
  if (error) {
    return base::unavailable("can't copy " + from + " to " + to + ": " + error.message());
  }
  return {};
}

base::Status makeData(const PostgresFiles& files, const EmbeddedPostgresOptions& options,
                      const std::string& fresh) {
  if (options.initialData.empty()) return runInitdb(files, fresh, options.diskSync);
  FM_TRY(copyData(options.initialData, fresh));
  if (!files.user.empty()) {
    FM_TRY(platform::changeOwner(fresh, files.user));
  }
  return {};
}

void shortenLog(const std::string& logFile) {
  std::error_code error;
  auto size = fs::file_size(logFile, error);
  if (!error && size > kMostLogBytes) fs::resize_file(logFile, 0, error);
}

std::string readVersion(const std::string& dataFolder) {
  auto text = platform::readFile(dataFolder + "/PG_VERSION", kMostSmallFile);
  if (!text) return {};
  return text->substr(0, text->find_first_of(" \n"));
}

}  // namespace

base::Result<std::string> findPostgres(const std::string& major) {
  if (const char* given = std::getenv("FLEETMARK_POSTGRES_BIN"); given != nullptr && *given) {
    if (hasPrograms(given)) return std::string(given);
    return base::notFound("FLEETMARK_POSTGRES_BIN is " + std::string(given) +
                          ", where there is no postgres and initdb; correct it or unset it");
  }
  std::string found;
  for (const auto& version : debianFolders()) {
    if (!hasPrograms(version / "bin")) continue;
    std::string name = version.filename().string();
    if (major.empty() || name == major) return (version / "bin").string();
    found += (found.empty() ? "" : ", ") + name;
  }
  if (auto folder = inPath()) return *folder;
  if (!found.empty()) {
    return base::notFound("the data folder was made by PostgreSQL " + major + ", here is only " +
                          found + "; install postgresql-" + major);
  }
  return base::notFound(
      "there is no PostgreSQL server on this machine; install it (Debian: apt-get install "
      "postgresql), set FLEETMARK_POSTGRES_BIN, or give a database with --database");
}

base::Result<PostgresFiles> prepareFiles(const EmbeddedPostgresOptions& options) {
  if (!options.dataFolder.starts_with('/')) {
    return base::invalid("the database's folder '" + options.dataFolder +
                         "' is no absolute path; give one");
  }
  FM_TRY(platform::makePrivateFolder(options.dataFolder));
  PostgresFiles files;
  files.dataFolder = options.dataFolder + "/data";
  files.logFile = options.dataFolder + "/postgres.log";
  shortenLog(files.logFile);
  std::string version = readVersion(files.dataFolder);
  files.binFolder = options.binFolder;
  if (files.binFolder.empty()) {
    FM_TRY_ASSIGN(files.binFolder, findPostgres(version));
  }

  std::string fresh = options.dataFolder + "/data.new";  // of an initdb that was cut short
  FM_TRY(platform::removeTree(fresh));
  std::string target = version.empty() ? fresh : files.dataFolder;
  if (version.empty()) {
    FM_TRY(platform::makePrivateFolder(fresh));
  }
  if (platform::runningAsRoot()) {
    FM_TRY_ASSIGN(files.user, giveAway(target));
    FM_TRY(platform::letEnter(options.dataFolder, files.user));
  }
  if (version.empty()) {
    FM_TRY(makeData(files, options, fresh));
    std::error_code error;
    fs::rename(fresh, files.dataFolder, error);
    if (error) {
      return base::unavailable("can't rename " + fresh + " to " + files.dataFolder + ": " +
                               error.message() + "; remove what is in the way");
    }
  }
  return files;
}

std::optional<PostmasterFile> readPostmasterFile(const std::string& dataFolder) {
  auto text = platform::readFile(dataFolder + "/postmaster.pid", kMostSmallFile);
  if (!text) return std::nullopt;
  // pid, data folder, start time, port, socket folder, ...
  std::vector<std::string> lines;
  std::istringstream stream(*text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (lines.size() < 5) return std::nullopt;
  return PostmasterFile{lines[0], lines[4]};
}

void removeStalePostmasterFile(const std::string& dataFolder) {
  auto file = readPostmasterFile(dataFolder);
  if (!file) return;
  auto name = platform::readFile("/proc/" + file->pid + "/comm", kMostSmallFile);
  if (name && !name->starts_with("postgres")) {
    std::error_code error;
    fs::remove(dataFolder + "/postmaster.pid", error);
  }
}

std::string logTail(const std::string& logFile) {
  auto text = platform::readFile(logFile, 2 * kMostLogBytes);
  if (!text) return "no log";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  std::size_t begin = text->size() > 400 ? text->size() - 400 : 0;
  std::string tail = text->substr(begin);
  if (begin > 0) tail = tail.substr(std::min(tail.find('\n') + 1, tail.size()));
  std::replace(tail.begin(), tail.end(), '\n', ' ');
  return tail;
}

}  // namespace fleetmark::coordinator::store
