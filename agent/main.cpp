// fleetmark-agent: the program. Only here meet the port, the platform, the probes and the session.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/cli/probe_main.h"
#include "agent/cli/probe_request_text.h"
#include "agent/config/config.h"
#include "agent/core/session.h"
#include "agent/platform/platform.h"
#include "agent/rpc/coordinator_client.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/version.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "common/platform/process_tree.h"
#include "common/probes/spec.h"

namespace {

namespace agent = fleetmark::agent;
namespace base = fleetmark::base;
namespace cli = fleetmark::agent::cli;
namespace config = fleetmark::agent::config;
namespace core = fleetmark::agent::core;
namespace model = fleetmark::model;
namespace platform = fleetmark::platform;
namespace probes = fleetmark::probes;

constexpr const char* kExamples =
    "Examples:\n"
    "  fleetmark-agent run --coordinator bench.example:7411 --identity /etc/fleetmark/agent\n"
    "  fleetmark-agent probe disk --path /var/tmp --file 1GiB\n"
    "\n"
    "Exit codes: 0 well done, 1 a measurement failed, 2 bad input, 3 infrastructure.";

int exitCode(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::kInvalid:
    case base::ErrorCode::kNotFound:
    case base::ErrorCode::kUnsupported:
      return cli::kExitBadInput;
    case base::ErrorCode::kConflict:
    case base::ErrorCode::kDenied:
    case base::ErrorCode::kUnavailable:
    case base::ErrorCode::kOverloaded:
    case base::ErrorCode::kInternal:
      return cli::kExitInfrastructure;
  }
  return cli::kExitInfrastructure;
}

int fail(const base::Error& error) {
  std::fprintf(stderr, "fleetmark-agent: %s\n", error.message.c_str());
  return exitCode(error.code);
}

std::string defaultState() {
  if (platform::runningAsRoot()) return "/var/lib/fleetmark-agent";
  if (const char* folder = std::getenv("XDG_STATE_HOME"); folder != nullptr && *folder != '\0') {
    return std::string(folder) + "/fleetmark-agent";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.local/state/fleetmark-agent";
  }
  return {};
}

// Turns the process's stop signals into the session's; the second one hurries.
class StopWatcher {
 public:
  explicit StopWatcher(core::Session& session) : session_(session), thread_([this] { watch(); }) {}
  StopWatcher(const StopWatcher&) = delete;
  StopWatcher& operator=(const StopWatcher&) = delete;
  ~StopWatcher() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    platform::StopSignal::raise();
    thread_.join();
  }

 private:
  bool isOver() {
    std::lock_guard lock(mutex_);
    return over_;
  }
  void watch() {
    while (!platform::StopSignal::waitFor(std::chrono::hours(1))) {
    }
    if (isOver()) return;
    base::log(base::LogLevel::kInfo, "agent.stopping");
    session_.requestStop();
    std::unique_lock lock(mutex_);
    while (!over_ && platform::StopSignal::count() < 2) {
      wake_.wait_for(lock, std::chrono::milliseconds(100));
    }
    if (!over_) session_.requestStop();
  }

  core::Session& session_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

model::AgentHello makeHello(const config::AgentConfig& settings, const model::HostFacts& host,
                            model::Labels labels, const base::Clock& clock) {
  model::AgentHello hello;
  hello.name = settings.name;
  hello.version = base::kVersion;
  hello.labels = std::move(labels);
  for (const auto* spec : probes::allSpecs()) {
    hello.probes.push_back(std::string(spec->name) + "/" + std::to_string(spec->protocol));
  }
  hello.host = host;
  hello.instanceNonce = base::newUuid().toString();
  hello.wallClockNs = base::toUnixNanos(clock.wall());
  return hello;
}

// What stands between two steps though it should not: names it, at most a few.
std::vector<std::string> endLeftovers() {
  std::vector<std::string> out;
  for (const auto& process : platform::endDescendants(std::chrono::seconds(1)).left) {
    if (out.size() < 8) out.push_back(std::to_string(process.pid) + " (" + process.name + ")");
  }
  return out;
}

// For tests: lets several agents on one kernel stand for as many machines. See docs/agent.md.
void pretendMachine(model::HostFacts& facts) {
  const char* key = std::getenv("FLEETMARK_MACHINE_KEY");
  if (key == nullptr || *key == '\0') return;
  facts.machineKey = key;
  facts.machineId = key;
  facts.bootId = key;
  base::log(base::LogLevel::kWarning, "machine.pretended", {{"key", key}});
}

base::Status runAgent(const std::string& configPath, const config::Overrides& overrides) {
  config::AgentConfig settings;
  if (!configPath.empty()) {
    FM_TRY_ASSIGN(settings, config::loadConfig(configPath));
  }
  FM_TRY(config::applyOverrides(overrides, settings));
  if (settings.state.empty()) settings.state = defaultState();
  FM_TRY(config::checkConfig(settings));
  // Children get their paths from here, whatever their working directory.
  settings.state = std::filesystem::absolute(settings.state).string();
  FM_TRY_ASSIGN(auto identity, config::loadIdentity(settings.identity));
  FM_TRY(platform::makePrivateFolder(settings.state));
  auto lock = platform::lockFile(settings.state + "/lock");
  if (!lock) {
    if (lock.error().code != base::ErrorCode::kConflict) return lock.error();
    return base::conflict("another agent already uses the state folder " + settings.state + " (" +
                          lock.error().message + "); stop it, or give --state another folder");
  }

  base::SystemClock clock;
  auto host = agent::makePlatform();
  auto facts = host->host().facts();
  pretendMachine(facts);
  if (settings.name.empty()) settings.name = facts.hostname.empty() ? "agent" : facts.hostname;
  FM_TRY_ASSIGN(auto labels, config::agentLabels(facts, settings.name, settings.labels));
  FM_TRY_ASSIGN(auto spool, core::Spool::open({settings.state + "/spool", settings.spool}, clock));
  FM_TRY_ASSIGN(auto port,
                agent::rpc::makeCoordinatorClient({settings.coordinators, identity.caPem,
                                                   identity.certificatePem, identity.keyPem},
                                                  clock));
  core::SessionOptions options;
  options.runner.program = platform::ownExecutable();
  options.runner.environmentJson = [&host] { return host->host().facts().environmentJson; };
  options.start.activity = &host->activity();
  options.start.leftovers = endLeftovers;
  auto adopted = platform::adoptOrphans();
  core::Session session(*port, *spool, clock, makeHello(settings, facts, std::move(labels), clock),
                        std::move(options));
  base::log(base::LogLevel::kInfo, "agent.started",
            {{"name", settings.name},
             {"version", base::kVersion},
             {"coordinator", settings.coordinators.front()},
             {"state", settings.state},
             {"finds_processes_by", adopted ? "process group, adopted orphans"
                                            : "process group (" + adopted.error().message + ")"}});
  StopWatcher watcher(session);
  auto status = session.run();
  base::log(base::LogLevel::kInfo, "agent.stopped");
  return status;
}

int printHost() {
  auto host = agent::makePlatform();
  auto facts = host->host().facts();
  auto environment = nlohmann::json::parse(facts.environmentJson, nullptr, false);
  nlohmann::ordered_json out = {{"hostname", facts.hostname},
                                {"os", facts.os},
                                {"arch", facts.arch},
                                {"cpu_model", facts.cpuModel},
                                {"virtualisation", facts.virtualisation},
                                {"kernel", facts.kernel},
                                {"os_image", facts.osImage},
                                {"machine_id", facts.machineId},
                                {"boot_id", facts.bootId},
                                {"machine_key", facts.machineKey},
                                {"effective_cpus", facts.effectiveCpus},
                                {"memory_bytes", facts.memoryBytes}};
  for (auto& [key, value] : out.items()) {
    if ((value.is_string() && value.get<std::string>().empty()) ||
        (value.is_number() && value.get<double>() == 0)) {
      value = nullptr;  // could not be read
    }
  }
  out["environment"] = environment.is_discarded() ? nlohmann::json::object() : environment;
  std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return cli::kExitOk;
}

// What `probe NAME` was given, by name of the probe.
struct ProbeCommand {
  const probes::ProbeSpec* spec = nullptr;
  CLI::App* command = nullptr;
  bool pipe = false;
  bool json = false;
  std::map<std::string, std::string> given;
  std::map<std::string, CLI::Option*> options;
};

void addProbe(CLI::App& parent, const probes::ProbeSpec& spec, ProbeCommand& out) {
  out.spec = &spec;
  out.command = parent.add_subcommand(std::string(spec.name), std::string(spec.summary));
  out.command->add_flag("--json", out.json, "one JSON object a line");
  out.command->add_flag("--pipe", out.pipe, "for the agent: request on stdin, events on stdout")
      ->group("");
  for (const auto& param : spec.params) {
    std::string name(param.name);
    std::string help(param.help);
    if (!param.choices.empty()) {
      help += " (";
      for (auto choice : param.choices) help += std::string(choice) + "|";
      help.back() = ')';
    }
    std::string flag = "--" + name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (flag != "--" + name) flag += ",--" + name;  // as the campaign writes it
    auto* option = out.command->add_option(flag, out.given[name], help);
    option->type_name("")->default_str(std::string(param.defaultText));
    out.options[name] = option;
  }
}

int runProbe(const ProbeCommand& probe) {
  if (probe.pipe) return cli::runProbeForAgent(std::string(probe.spec->name));
  std::map<std::string, std::string> texts;
  for (const auto& [name, option] : probe.options) {
    if (option->count() > 0) texts[name] = probe.given.at(name);
  }
  auto request = cli::requestFromTexts(*probe.spec, texts);
  if (!request) return fail(request.error());
  return cli::runProbeByHand(*request,
                             probe.json ? cli::ProbeOutput::kJsonLines : cli::ProbeOutput::kPeople);
}

struct RunFlags {
  std::string configPath;
  std::vector<std::string> coordinators;
  std::string identity;
  std::string name;
  std::string state;
  std::vector<std::string> labels;
  bool verbose = false;
};

void addRunFlags(CLI::App& run, RunFlags& flags) {
  run.add_option("--config", flags.configPath, "YAML file, see docs/agent.md")
      ->envname("FLEETMARK_CONFIG");
  run.add_option("--coordinator", flags.coordinators, "host:port; may be repeated")
      ->envname("FLEETMARK_COORDINATOR")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run.add_option("--identity", flags.identity, "folder of certificate.pem, key.pem and ca.pem")
      ->envname("FLEETMARK_IDENTITY");
  run.add_option("--name", flags.name, "of this agent; the host's name when left out")
      ->envname("FLEETMARK_NAME");
  run.add_option("--state", flags.state, "folder of the spool")->envname("FLEETMARK_STATE");
  run.add_option("--label", flags.labels, "name=value; may be repeated")
      ->envname("FLEETMARK_LABEL")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run.add_flag("--verbose", flags.verbose, "log what is of use in debugging");
}

std::optional<std::string> unlessEmpty(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

int runFleet(const RunFlags& flags) {
  platform::StopSignal::install();
  if (flags.verbose) base::setLogLevel(base::LogLevel::kDebug);
  config::Overrides overrides{flags.coordinators, unlessEmpty(flags.identity),
                              unlessEmpty(flags.name), unlessEmpty(flags.state), flags.labels};
  auto status = runAgent(flags.configPath, overrides);
  return status ? cli::kExitOk : fail(status.error());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"fleetmark-agent measures this machine for a fleetmark coordinator"};
  app.footer(kExamples);
  app.set_version_flag("--version", "fleetmark-agent " + std::string(base::kVersion));
  app.require_subcommand(0, 1);

  RunFlags flags;
  addRunFlags(app, flags);  // `run` may be left out
  auto* run = app.add_subcommand("run", "take work from a coordinator (what is done by default)");
  run->footer(kExamples);
  addRunFlags(*run, flags);
  auto* probe = app.add_subcommand("probe", "run one probe by hand, without a fleet");
  probe->footer(kExamples);
  probe->require_subcommand(1);
  std::vector<std::unique_ptr<ProbeCommand>> probeCommands;
  for (const auto* spec : probes::allSpecs()) {
    probeCommands.push_back(std::make_unique<ProbeCommand>());
    addProbe(*probe, *spec, *probeCommands.back());
  }
  auto* host = app.add_subcommand("host", "print what is known of this machine as JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? cli::kExitOk : cli::kExitBadInput;
  }
  if (host->parsed()) return printHost();
  for (const auto& command : probeCommands) {
    if (command->command->parsed()) return runProbe(*command);
  }
  return runFleet(flags);
}
