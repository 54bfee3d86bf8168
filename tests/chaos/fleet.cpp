#include "tests/chaos/fleet.h"

#include <signal.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/base/random.h"
#include "common/platform/files.h"
#include "tests/chaos/failure.h"
#include "tests/chaos/wait.h"

namespace fleetmark::chaos {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr auto kStartLimit = seconds(60);
constexpr auto kStopLimit = seconds(30);
// An agent takes work only where 32 MiB are free.
constexpr const char* kSmallDisk = "size=40m";
constexpr std::size_t kMostPem = 64 * 1024;

std::string readAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string withCommas(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : ",") + part;
  return out;
}

}  // namespace

Fleet::Fleet(std::string folder, std::string bin)
    : folder_(std::move(folder)),
      bin_(std::move(bin)),
      mark_("FLEETMARK_TEST_MARK=" + base::newUuid().toString()) {
  mountSmallDisk();
}

Fleet::~Fleet() {
  for (auto& agent : agents_) agent.reset();
  for (auto& coordinator : coordinators_) coordinator.reset();
  databases_.reset();
  if (smallDisk_) ::umount2((folder_ + "/disk").c_str(), MNT_DETACH);
}

void Fleet::mountSmallDisk() {
  std::string disk = folder_ + "/disk";
  must(platform::makePrivateFolder(disk), "the small disk's folder");
  smallDisk_ =
      ::mount("fleetmark-chaos", disk.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, kSmallDisk) == 0;
  if (!smallDisk_) {
    noSmallDiskReason_ = std::string("no small tmpfs can be mounted: ") + std::strerror(errno);
  }
}

std::string Fleet::agentFolder(int agent) const {
  if (agent == kSmallDiskAgent) return folder_ + "/disk/state";
  return folder_ + "/a" + std::to_string(agent + 1) + "/state";
}

void Fleet::fillDisk() {
  std::ofstream filler(folder_ + "/disk/filler", std::ios::binary);
  const std::string block(64 * 1024, 'x');
  while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

void Fleet::freeDisk() { fs::remove(folder_ + "/disk/filler"); }

platform::SpawnOptions Fleet::options(const std::string& program, const std::string& name,
                                      std::vector<std::string> arguments) const {
  platform::SpawnOptions out;
  out.program = bin_ + "/" + program;
  out.arguments = std::move(arguments);
  out.environment = {mark_};
  out.workingDirectory = folder_;
  out.stdoutFile = folder_ + "/" + name + ".log";
  return out;
}

void Fleet::start() {
  databases_ = std::make_unique<DatabasePair>(folder_ + "/pg");
  links_ = std::make_unique<Links>(*databases_);
  for (int number = 0; number < kCoordinators; ++number) startCoordinator(number);
  for (int number = 0; number < kAgents; ++number) startAgent(number);
  bool there = waitFor(kStartLimit, [this] {
    tend();
    return databases_->query("SELECT count(*) FROM fleetmark.agent").at(0).at(0) ==
           std::to_string(kAgents);
  });
  if (!there) throw HarnessFailure("the agents do not register; see " + folder_);
}

void Fleet::startCoordinator(int number) {
  std::string name = "c" + std::to_string(number + 1);
  std::string data = folder_ + "/" + name;
  std::string addressFile = folder_ + "/" + name + ".address";
  if (number > 0) {  // one fleet: the first one's authority
    must(platform::makePrivateFolder(data + "/pki"), "a coordinator's folder");
    for (const char* file : {"ca.pem", "ca.key"}) {
      auto content = must(platform::readFile(folder_ + "/c1/pki/" + file, kMostPem), file);
      must(platform::writePrivateFile(data + "/pki/" + file, content), file);
    }
  }
  auto run = options("fleetmark-coordinator", name,
                     {"--listen", "127.0.0.1:0", "--data-dir", data, "--address-file", addressFile,
                      "--lease-ttl", kLeaseTtl, "--database", links_->database(number)});
  coordinators_[number] = std::make_unique<Member>(name, run);
  coordinators_[number]->start();
  if (!waitFor(kStartLimit, [&] { return fs::exists(addressFile); })) {
    throw HarnessFailure("coordinator " + name + " does not start: " + log(name));
  }
  std::string address = readAll(addressFile);
  while (!address.empty() && address.back() == '\n') address.pop_back();
  coordinators_[number]->setArgument(1, address);  // later starts keep the port of the first
  links_->openCoordinator(
      number, static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
}

void Fleet::startAgent(int number) {
  std::string name = "a" + std::to_string(number + 1);
  std::string identity = folder_ + "/" + name + "/identity";
  must(platform::makePrivateFolder(folder_ + "/" + name), "an agent's folder");
  auto enrol = command({"enroll", "agent", name, "--out", identity}, "enroll");
  auto status = enrol->wait(kStartLimit);
  if (!status || !status->clean()) {
    throw HarnessFailure("agent " + name + " can't be enrolled: " + log("enroll"));
  }
  auto run = options("fleetmark-agent", name,
                     {"run", "--coordinator", withCommas(links_->coordinators(number)),
                      "--identity", identity, "--name", name, "--state", agentFolder(number)});
  run.environment.push_back("FLEETMARK_MACHINE_KEY=machine-" + std::to_string(kMachineOf[number]));
  agents_[number] = std::make_unique<Member>(name, run);
  agents_[number]->start();
}

std::unique_ptr<platform::Process> Fleet::command(std::vector<std::string> arguments,
                                                  const std::string& out) const {
  std::vector<std::string> all;
  for (const auto& address : links_->coordinators(Links::kOperator)) {
    all.insert(all.end(), {"--coordinator", address});
  }
  all.insert(all.end(), {"--identity", folder_ + "/c1/pki/operator"});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return must(platform::spawn(options("fleetmark", out, std::move(all))), "the command");
}

void Fleet::tend() {
  for (auto& agent : agents_) {
    if (!agent) continue;
    std::string ended = agent->tend();
    if (!ended.empty()) surprises_.push_back(std::move(ended));
  }
  for (auto& coordinator : coordinators_) {
    if (!coordinator) continue;
    std::string ended = coordinator->tend();
    // At its start a coordinator gives up without a database, and a service manager tries again.
    if (ended.find("exit code 3") != std::string::npos) continue;
    if (!ended.empty()) surprises_.push_back(std::move(ended));
  }
}

void Fleet::stop() {
  for (auto& agent : agents_) agent->terminate();
  for (auto& agent : agents_) {
    if (!agent->ended(kStopLimit)) surprises_.push_back(agent->name() + " does not stop");
  }
  for (auto& coordinator : coordinators_) coordinator->terminate();
  for (auto& coordinator : coordinators_) {
    if (!coordinator->ended(kStopLimit))
      surprises_.push_back(coordinator->name() + " does not stop");
  }
  databases_->stop();
}

std::vector<std::string> Fleet::spoolFiles() const {
  std::vector<std::string> out;
  for (int number = 0; number < kAgents; ++number) {
    std::error_code error;
    for (fs::recursive_directory_iterator item(agentFolder(number) + "/spool", error), end;
         !error && item != end; item.increment(error)) {
      if (item->is_regular_file(error)) out.push_back(item->path().string());
    }
  }
  return out;
}

std::vector<std::string> Fleet::leftovers() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (pid == std::to_string(platform::ownPid())) continue;
    std::error_code error;
    std::string place = fs::read_symlink(entry.path() / "cwd", error).string();
    bool ours = place.starts_with(folder_ + "/pg") ||
                readAll(entry.path().string() + "/environ").find(mark_) != std::string::npos;
    if (!ours) continue;
    std::string command = readAll(entry.path().string() + "/cmdline");
    std::replace(command.begin(), command.end(), '\0', ' ');
    out.push_back(pid + " " + command);
  }
  return out;
}

std::string Fleet::log(const std::string& name) const {
  return readAll(folder_ + "/" + name + ".log");
}

}  // namespace fleetmark::chaos
