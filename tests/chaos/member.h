// One program of the fleet that is kept running: started again whenever it has ended, as a service
// manager would, unless it is meant to be down.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "common/platform/process.h"

namespace fleetmark::chaos {

class Member {
 public:
  Member(std::string name, platform::SpawnOptions options)
      : name_(std::move(name)), options_(std::move(options)) {}

  const std::string& name() const { return name_; }
  void setArgument(std::size_t index, std::string value) {
    options_.arguments.at(index) = std::move(value);
  }
  void start();             // to be up from now on
  void kill();              // SIGKILL to the program alone; stays down until start()
  void terminate();         // SIGTERM; stays down until start()
  void signal(int number);  // to the program alone
  // Starts it again if it ended without being asked to; says how it ended, once each time.
  std::string tend();
  bool running() const { return process_ != nullptr; }
  // Waits for its end.
  bool ended(std::chrono::steady_clock::duration limit);

 private:
  void launch();

  std::string name_;
  platform::SpawnOptions options_;
  std::unique_ptr<platform::Process> process_;
  bool wanted_ = false;
  bool leaving_ = false;  // was told to end
  std::chrono::steady_clock::time_point notBefore_{};
};

}  // namespace fleetmark::chaos
