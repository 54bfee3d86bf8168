// fleetmark-coordinator: the composition root of the coordinator.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/version.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "coordinator/identity/authority_files.h"
#include "coordinator/report/render.h"
#include "coordinator/rpc/coordinator_server.h"
#include "coordinator/store/change_listener.h"
#include "coordinator/store/database.h"
#include "coordinator/store/embedded_postgres.h"
#include "coordinator/store/migrator.h"

namespace {

using namespace fleetmark;
using namespace fleetmark::coordinator;

constexpr const char* kHelp = R"(Examples:
  fleetmark-coordinator                                      its own PostgreSQL, on 127.0.0.1:7300
  fleetmark-coordinator --database 'host=db dbname=fleetmark' --listen 0.0.0.0:7300

)";

constexpr const char* kFooter = R"(
Exit codes: 0 stopped in order, 2 bad input, 3 infrastructure (database, address, folder).
Environment: FLEETMARK_DATA_DIR, FLEETMARK_DATABASE (a connection string; the place for a password
is there, in PGPASSFILE or in a service file, never in an argument), FLEETMARK_LISTEN.)";

struct Arguments {
  std::string dataFolder;
  std::string database;
  std::string listen = "127.0.0.1:7300";
  std::string addressFile;
  std::int32_t quarantineAfter = service::Settings().quarantineAfter;
  std::string logLevel = "info";
  std::string leaseTtl;
  bool print = false;
};

std::string defaultDataFolder() {
  if (platform::runningAsRoot()) return "/var/lib/fleetmark";
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return std::string(data) + "/fleetmark";
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "." : home) + "/.local/share/fleetmark";
}

int exitCode(const base::Error& error) {
  std::fprintf(stderr, "fleetmark-coordinator: %s\n", error.message.c_str());
  bool input = error.code == base::ErrorCode::kInvalid ||
               error.code == base::ErrorCode::kUnsupported ||
               error.code == base::ErrorCode::kNotFound;
  return input ? 2 : 3;
}

base::Status checkArguments(const Arguments& arguments, const std::string& databaseArgument) {
  // Anybody on the machine can read another process's arguments.
  if (databaseArgument.find("password") != std::string::npos ||
      (databaseArgument.find("://") != std::string::npos &&
       databaseArgument.find('@') != std::string::npos &&
       databaseArgument.find(':', databaseArgument.find("://") + 3) < databaseArgument.find('@'))) {
    return base::invalid(
        "--database holds a password, which other users of this machine can see; put the "
        "connection string into FLEETMARK_DATABASE, or the password into PGPASSFILE");
  }
  if (arguments.logLevel != "debug" && arguments.logLevel != "info" &&
      arguments.logLevel != "warning" && arguments.logLevel != "error") {
    return base::invalid("--log-level " + arguments.logLevel +
                         " is unknown; known: debug, info, warning, error");
  }
  return {};
}

// Agents renew three times in a lease's time, and say so that they are there.
base::Result<service::Settings> settingsOf(const Arguments& arguments) {
  service::Settings settings;
  settings.quarantineAfter = arguments.quarantineAfter;
  if (arguments.leaseTtl.empty()) return settings;
  auto ttl = base::parseDuration(arguments.leaseTtl);
  if (!ttl) return base::invalid("--lease-ttl: " + ttl.error().message);
  if (*ttl < std::chrono::seconds(1) || *ttl > std::chrono::hours(1)) {
    return base::invalid("--lease-ttl " + arguments.leaseTtl + " is not within 1s and 1h");
  }
  settings.leaseTtl = *ttl;
  settings.heartbeat = std::min<base::Nanos>(settings.heartbeat, *ttl / 3);
  return settings;
}

base::LogLevel levelOf(const std::string& word) {
  if (word == "debug") return base::LogLevel::kDebug;
  if (word == "warning") return base::LogLevel::kWarning;
  if (word == "error") return base::LogLevel::kError;
  return base::LogLevel::kInfo;
}

// The database to use: the one named, or a private one that lives as long as the result.
struct DatabaseHome {
  std::string connectionString;
  std::unique_ptr<store::EmbeddedPostgres> embedded;
};

base::Result<DatabaseHome> openHome(const Arguments& arguments) {
  DatabaseHome home;
  home.connectionString = arguments.database;
  if (home.connectionString.empty()) {
    store::EmbeddedPostgresOptions options;
    options.dataFolder = arguments.dataFolder + "/postgres";
    FM_TRY_ASSIGN(home.embedded, store::EmbeddedPostgres::start(options));
    home.connectionString = home.embedded->connectionString();
  }
  return home;
}

base::Status storeCredentials(ports::Database& database,
                              const std::vector<ports::Credential>& credentials) {
  FM_TRY_ASSIGN(auto unit, database.begin());
  for (const auto& credential : credentials) {
    FM_TRY_ASSIGN(auto known, unit->credentials().find(credential.serial));
    if (!known) {
      FM_TRY(unit->credentials().insert(credential));
    }
  }
  return unit->commit();
}

base::Result<ports::RenderedReport> renderReport(const ports::ReportData& data,
                                                 ports::ReportFormat format) {
  return report::renderReport(data, format);
}

int serve(const Arguments& arguments) {
  auto settings = settingsOf(arguments);
  if (!settings) return exitCode(settings.error());
  base::SystemClock clock;
  if (auto made = platform::makePrivateFolder(arguments.dataFolder); !made) {
    return exitCode(made.error());
  }
  auto lock = platform::lockFile(arguments.dataFolder + "/lock");
  if (!lock) {
    return exitCode({lock.error().code, "another coordinator uses " + arguments.dataFolder + ": " +
                                            lock.error().message});
  }
  auto identity = identity::loadOrCreate(arguments.dataFolder, clock);
  if (!identity) return exitCode(identity.error());
  auto home = openHome(arguments);
  if (!home) return exitCode(home.error());
  if (auto migrated = store::migrate(home->connectionString); !migrated) {
    return exitCode(migrated.error());
  }
  auto open = [&home] {
    store::DatabaseOptions options;
    options.connectionString = home->connectionString;
    return store::openDatabase(std::move(options));
  };
  auto database = open();
  if (auto stored = storeCredentials(*database, identity->credentials); !stored) {
    return exitCode(stored.error());
  }
  database.reset();

  coordinator::rpc::CoordinatorServerOptions options;
  options.listen = arguments.listen;
  options.tls = {identity->authority.certificatePem, identity->coordinator.certificatePem,
                 identity->coordinator.keyPem};
  options.authority = identity->authority;
  options.settings = *settings;
  options.openDatabase = open;
  if (!home->embedded) {
    options.openListener = [&home] { return store::openChangeListener(home->connectionString); };
  }
  options.render = renderReport;
  options.stopRequested = &platform::StopSignal::requested;
  options.ready = [&](const std::string& address) {
    base::log(base::LogLevel::kInfo, "coordinator.ready",
              {{"version", base::kVersion},
               {"listen", address},
               {"database", home->embedded ? "private" : "external"},
               {"operator_identity", identity->operatorFolder}});
    if (!arguments.addressFile.empty()) {
      auto written = platform::writePrivateFile(arguments.addressFile, address + "\n");
      if (!written) {
        base::log(base::LogLevel::kError, "address_file.failed",
                  {{"error", written.error().message}});
      }
    }
  };
  auto served = coordinator::rpc::runCoordinatorServer(options, clock);
  if (home->embedded) {
    if (auto stopped = home->embedded->stop(); !stopped) {
      base::log(base::LogLevel::kWarning, "postgres.stop_failed",
                {{"error", stopped.error().message}});
    }
  }
  base::log(base::LogLevel::kInfo, "coordinator.stopped");
  return served ? 0 : exitCode(served.error());
}

int migrateStatus(const Arguments& arguments) {
  auto home = openHome(arguments);
  if (!home) return exitCode(home.error());
  auto status = store::migrationStatus(home->connectionString);
  if (!status) return exitCode(status.error());
  for (const auto& migration : *status) {
    std::printf("%04d  %-9s %s  %s\n", migration.version,
                std::string(store::toString(migration.state)).c_str(),
                migration.sha256.substr(0, 12).c_str(), migration.name.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  platform::StopSignal::install();
  Arguments arguments;
  std::string databaseArgument;
  arguments.dataFolder = defaultDataFolder();

  CLI::App app(std::string(kHelp) + "fleetmark-coordinator " + std::string(base::kVersion) +
               ": keeps campaigns in PostgreSQL and gives their work to agents");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string(base::kVersion));
  app.fallthrough();
  app.add_option("--data-dir", arguments.dataFolder,
                 "certificates and, without --database, PostgreSQL's files")
      ->envname("FLEETMARK_DATA_DIR")
      ->type_name("FOLDER");
  app.add_option("--database", databaseArgument,
                 "connection string of a PostgreSQL 15 or newer; without it a private one is run")
      ->type_name("CONNECTION");
  app.add_option("--listen", arguments.listen, "address for agents and operators (port 0: any)")
      ->envname("FLEETMARK_LISTEN")
      ->type_name("HOST:PORT");
  app.add_option("--address-file", arguments.addressFile,
                 "written with the bound address when connections are accepted")
      ->type_name("FILE");
  app.add_option("--quarantine-after", arguments.quarantineAfter,
                 "fast failures in a row that put an agent in quarantine; 0: never (default 3)")
      ->check(CLI::Range(0, 1000));
  app.add_option("--lease-ttl", arguments.leaseTtl,
                 "how long an agent that is not heard of keeps its step (default 15s)")
      ->type_name("DURATION");
  app.add_option("--log-level", arguments.logLevel, "debug, info, warning or error");
  auto* migrate = app.add_subcommand("migrate", "the database's schema");
  bool statusFlag = false;
  migrate->add_flag("--status", statusFlag, "which migrations are applied");
  migrate->add_flag("--print", arguments.print, "the SQL of all migrations");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (auto good = checkArguments(arguments, databaseArgument); !good) {
    return exitCode(good.error());
  }
  base::setLogLevel(levelOf(arguments.logLevel));
  const char* environment = std::getenv("FLEETMARK_DATABASE");
  arguments.database = !databaseArgument.empty() ? databaseArgument
                       : environment != nullptr  ? environment
                                                 : "";
  if (migrate->parsed()) {
    if (arguments.print) {
      std::fputs(store::printMigrations().c_str(), stdout);
      return 0;
    }
    return migrateStatus(arguments);
  }
  return serve(arguments);
}
