#include "tests/e2e/fleet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "common/base/random.h"
#include "common/platform/files.h"

namespace fleetmark::tests::e2e {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr auto kLimit = seconds(90);  // of one command; a loaded machine is slow
constexpr auto kPoll = std::chrono::milliseconds(20);

std::string readAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string program(const std::string& name) {
  const char* bin = std::getenv("FLEETMARK_BIN");
  return std::string(bin == nullptr ? "." : bin) + "/" + name;
}

bool eventually(const std::function<bool()>& condition) {
  auto deadline = std::chrono::steady_clock::now() + seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition()) return true;
    std::this_thread::yield();
    platform::StopSignal::waitFor(kPoll);
  }
  return condition();
}

Fleet::Fleet() : mark_("FLEETMARK_TEST_MARK=" + base::newUuid().toString()) {}

Fleet::~Fleet() {
  for (auto& agent : agents_) agent->killTree();
  if (coordinator_) {
    coordinator_->terminate();
    if (!coordinator_->wait(seconds(20))) coordinator_->killTree();
  }
  agents_.clear();
  coordinator_.reset();
}

std::vector<std::string> Fleet::marked(std::vector<std::string> environment) const {
  environment.push_back(mark_);
  return environment;
}

std::string Fleet::file(const std::string& name, const std::string& content) {
  std::string path = folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

void Fleet::startCoordinator(std::vector<std::string> arguments,
                             std::vector<std::string> environment) {
  std::string addressFile = folder() + "/address";
  fs::remove(addressFile);
  platform::SpawnOptions options;
  options.program = program("fleetmark-coordinator");
  options.arguments = {"--data-dir",     folder() + "/data",
                       "--listen",       address_.empty() ? "127.0.0.1:0" : address_,
                       "--address-file", addressFile};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  options.environment = marked(std::move(environment));
  options.stdoutFile = folder() + "/coordinator.log";
  auto started = platform::spawn(options);
  ASSERT_TRUE(started) << started.error().message;
  coordinator_ = std::move(*started);
  ASSERT_TRUE(eventually(
      [&] { return fs::exists(addressFile) || coordinator_->wait(base::Nanos(0)).has_value(); }));
  address_ = readAll(addressFile);
  while (!address_.empty() && address_.back() == '\n') address_.pop_back();
  ASSERT_FALSE(address_.empty()) << log("coordinator");
}

platform::Process& Fleet::startAgent(const std::string& name, std::vector<std::string> arguments) {
  std::string identity = folder() + "/" + name + "/identity";
  if (!fs::exists(identity)) {
    auto enrolled = fleetmark({"enroll", "agent", name, "--out", identity});
    EXPECT_EQ(enrolled.exitCode, 0) << enrolled.err;
  }
  platform::SpawnOptions options;
  options.program = program("fleetmark-agent");
  options.arguments = {"run",        "--coordinator", address_,
                       "--identity", identity,        "--name",
                       name,         "--state",       folder() + "/" + name + "/state"};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  options.environment = marked({});
  options.stdoutFile = folder() + "/" + name + ".log";
  auto started = platform::spawn(options);
  EXPECT_TRUE(started) << started.error().message;
  agents_.push_back(std::move(*started));
  return *agents_.back();
}

CommandResult Fleet::fleetmark(std::vector<std::string> arguments) {
  std::vector<std::string> all = {"--coordinator", address_};
  if (std::find(arguments.begin(), arguments.end(), "--identity") == arguments.end()) {
    all.insert(all.end(), {"--identity", folder() + "/data/pki/operator"});
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(program("fleetmark"), std::move(all));
}

std::unique_ptr<platform::Process> Fleet::spawn(const std::string& path,
                                                std::vector<std::string> arguments,
                                                const std::string& name) {
  platform::SpawnOptions options;
  options.program = path;
  options.arguments = std::move(arguments);
  options.environment = marked({});
  options.workingDirectory = folder();
  options.stdoutFile = folder() + "/" + name + ".log";
  auto started = platform::spawn(options);
  EXPECT_TRUE(started) << started.error().message;
  return std::move(*started);
}

CommandResult Fleet::run(const std::string& path, std::vector<std::string> arguments) {
  CommandResult result;
  platform::SpawnOptions options;
  options.program = path;
  options.arguments = std::move(arguments);
  options.environment = marked({});
  options.workingDirectory = folder();
  options.stdoutFile = folder() + "/command.out";
  options.pipeStderr = true;
  fs::remove(options.stdoutFile);
  auto started = platform::spawn(options);
  EXPECT_TRUE(started) << started.error().message;
  if (!started) return result;
  auto deadline = std::chrono::steady_clock::now() + kLimit;
  for (;;) {
    auto read = (*started)->readStderr(65536, kPoll);
    if (!read) break;
    result.err += read->bytes;
    if (read->eof) break;
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << path << " did not end in time; stderr so far: " << result.err;
      (*started)->killTree();
      break;
    }
  }
  auto status = (*started)->wait(kLimit);
  if (status) result.exitCode = status->signalled ? 128 + status->code : status->code;
  result.out = readAll(options.stdoutFile);
  return result;
}

std::string Fleet::sql(const std::string& statement) {
  auto result = fleetmark({"sql", "--csv", statement});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  auto header = result.out.find("\r\n");
  if (header == std::string::npos) return "";
  std::string rest = result.out.substr(header + 2);
  while (!rest.empty() && (rest.back() == '\n' || rest.back() == '\r')) rest.pop_back();
  return rest;
}

std::string Fleet::submit(const std::string& yaml, std::vector<std::string> arguments) {
  std::vector<std::string> all = {"submit", file("campaign.yaml", yaml), "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  auto result = fleetmark(all);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  std::string digits;
  for (char c : result.out) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits;
}

bool Fleet::waitForState(const std::string& campaign, const std::string& state) {
  return eventually([&] {
    std::string json = fleetmark({"status", campaign, "--json"}).out;
    std::string head = json.substr(0, json.find("\"submitted_at\""));  // steps have states too
    return head.find("\"state\": \"" + state + "\"") != std::string::npos;
  });
}

std::vector<std::string> Fleet::survivors() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string environment = readAll(entry.path().string() + "/environ");
    if (environment.find(mark_) == std::string::npos) continue;
    std::string command = readAll(entry.path().string() + "/cmdline");
    std::replace(command.begin(), command.end(), '\0', ' ');
    out.push_back(pid + " " + command);
  }
  return out;
}

std::string Fleet::log(const std::string& name) const {
  return readAll(folder() + "/" + name + ".log");
}

}  // namespace fleetmark::tests::e2e
