#include "coordinator/cli/private_fleet.h"

#include <algorithm>

#include "common/platform/files.h"
#include "coordinator/cli/enrolment.h"

namespace fleetmark::coordinator::cli {

namespace {

using std::chrono::seconds;

constexpr auto kPoll = std::chrono::milliseconds(20);
// initdb on a slow disk or a busy machine takes its time; a program that ended is noticed at once.
constexpr auto kStartLimit = seconds(180);
constexpr auto kStopLimit = seconds(10);
constexpr std::size_t kMaxLog = 16 * 1024 * 1024;
constexpr std::size_t kLogLines = 12;

std::string lastLines(const std::string& text, std::size_t count) {
  std::size_t begin = text.size();
  while (begin > 0 && count > 0) {
    auto newline = begin >= 2 ? text.rfind('\n', begin - 2) : std::string::npos;
    begin = newline == std::string::npos ? 0 : newline + 1;
    --count;
  }
  return text.substr(begin);
}

}  // namespace

std::string localAgentName(std::size_t index) {
  if (index < 26) return std::string("local-") + static_cast<char>('a' + index);
  return "local-" + std::to_string(index + 1);
}

base::Result<std::unique_ptr<PrivateFleet>> PrivateFleet::start(const PrivateFleetOptions& options,
                                                                const Connect& connect,
                                                                const base::Clock& clock) {
  FM_TRY_ASSIGN(std::string folder, platform::makeTemporaryFolder("fleetmark-run-"));
  std::unique_ptr<PrivateFleet> fleet(new PrivateFleet(folder, clock));
  FM_TRY(fleet->launch(options, connect));
  return fleet;
}

PrivateFleet::~PrivateFleet() {
  stop();
  (void)platform::removeTree(folder_);
}

base::Status PrivateFleet::launch(const PrivateFleetOptions& options, const Connect& connect) {
  std::string data = folder_ + "/coordinator";
  std::string addressFile = folder_ + "/address";
  FM_TRY(spawnMember("coordinator", options.programFolder + "/fleetmark-coordinator",
                     {"--data-dir", data, "--listen", "127.0.0.1:0", "--address-file", addressFile,
                      // Nobody is there to release an agent.
                      "--quarantine-after", "0"}));
  FM_TRY_ASSIGN(std::string address, waitForAddress(addressFile));
  FM_TRY_ASSIGN(auto connection, readIdentity(data + "/pki/operator", {address}));
  FM_TRY_ASSIGN(port_, connect(connection));
  for (std::size_t i = 0; i < options.agents; ++i) {
    std::string name = localAgentName(i);
    std::string identity = folder_ + "/" + name + "/identity";
    FM_TRY(enrollInto(*port_, ports::Role::kAgent, name, identity));
    FM_TRY(spawnMember(name, options.programFolder + "/fleetmark-agent",
                       {"run", "--coordinator", address, "--identity", identity, "--name", name,
                        "--state", folder_ + "/" + name + "/state"}));
  }
  return waitForAgents(options.agents);
}

base::Status PrivateFleet::spawnMember(const std::string& name, const std::string& program,
                                       std::vector<std::string> arguments) {
  Member member;
  member.name = name;
  member.logFile = folder_ + "/" + name + ".log";
  platform::SpawnOptions options;
  options.program = program;
  options.arguments = std::move(arguments);
  options.stdoutFile = member.logFile;
  FM_TRY_ASSIGN(member.process, platform::spawn(options));
  members_.push_back(std::move(member));
  return {};
}

base::Status PrivateFleet::healthy() {
  for (auto& member : members_) {
    auto ended = member.process->wait(base::Nanos(0));
    if (!ended) continue;
    auto log = platform::readFile(member.logFile, kMaxLog);
    return base::unavailable(
        member.name + " ended with " + ended->describe() +
        (log ? "; the end of its log:\n" + lastLines(*log, kLogLines) : "; it left no log"));
  }
  return {};
}

base::Result<std::string> PrivateFleet::waitForAddress(const std::string& file) {
  auto deadline = clock_.mono() + kStartLimit;
  while (clock_.mono() < deadline) {
    if (platform::exists(file)) {
      FM_TRY_ASSIGN(std::string address, platform::readFile(file, 1024));
      while (!address.empty() && address.back() == '\n') address.pop_back();
      return address;
    }
    FM_TRY(healthy());
    if (platform::StopSignal::waitFor(kPoll)) return base::conflict("stopped while starting");
  }
  return base::unavailable("the coordinator was not ready within " +
                           base::formatDuration(kStartLimit));
}

base::Status PrivateFleet::waitForAgents(std::size_t count) {
  auto deadline = clock_.mono() + kStartLimit;
  while (clock_.mono() < deadline) {
    FM_TRY_ASSIGN(auto agents, port_->agents());
    auto online = std::count_if(agents.begin(), agents.end(),
                                [](const auto& agent) { return agent.state != "offline"; });
    if (static_cast<std::size_t>(online) >= count) return {};
    FM_TRY(healthy());
    if (platform::StopSignal::waitFor(kPoll)) return base::conflict("stopped while starting");
  }
  return base::unavailable("not every agent was online within " +
                           base::formatDuration(kStartLimit));
}

std::vector<std::pair<std::string, std::string>> PrivateFleet::logs() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& member : members_) {
    auto log = platform::readFile(member.logFile, kMaxLog);
    if (log) out.emplace_back(member.name, std::move(*log));
  }
  return out;
}

void PrivateFleet::stop() {
  port_.reset();
  auto end = [](Member& member) {
    if (!member.process->wait(kStopLimit)) member.process->killTree();
    (void)member.process->wait(kStopLimit);
  };
  for (std::size_t i = 1; i < members_.size(); ++i) members_[i].process->terminate();
  for (std::size_t i = 1; i < members_.size(); ++i) end(members_[i]);
  if (!members_.empty()) {
    members_[0].process->terminate();
    end(members_[0]);
  }
  members_.clear();
}

}  // namespace fleetmark::coordinator::cli
