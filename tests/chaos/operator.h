// The operator: keeps the fleet in work with campaigns that follow from the seed, and cancels one
// when told to. Each order is a run of the command, given again until it is answered, as a careful
// script would do.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "tests/chaos/fleet.h"

namespace fleetmark::chaos {

// The campaign number `number` of a seed.
std::string makeCampaign(std::uint64_t seed, int number);

class Operator {
 public:
  struct Submitted {
    std::string key;
    std::string id;  // as the command answered
  };

  Operator(Fleet& fleet, std::string folder, std::uint64_t seed)
      : fleet_(fleet), folder_(std::move(folder)), seed_(seed) {}

  // Submits while fewer than `wanted` steps are open; starts and ends commands.
  void tend(int wanted);
  void cancelOne();
  bool idle() const { return orders_.empty(); }

  const std::vector<Submitted>& submitted() const { return submitted_; }
  const std::vector<std::string>& cancelled() const { return cancelled_; }
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  enum class Verb { kSubmit, kCancel };
  struct Order {
    Verb verb;
    std::vector<std::string> arguments;
    std::string key;  // of the submit, or the campaign to cancel
  };

  void begin();
  void finish(int exitCode);
  int openSteps() const;  // of all campaigns; a large number while nobody knows

  Fleet& fleet_;
  std::string folder_;
  std::uint64_t seed_;
  int campaigns_ = 0;
  int runs_ = 0;
  std::deque<Order> orders_;
  std::unique_ptr<platform::Process> process_;
  std::string output_;
  std::chrono::steady_clock::time_point since_{};
  std::chrono::steady_clock::time_point looked_{};
  std::vector<Submitted> submitted_;
  std::vector<std::string> cancelled_;
  std::vector<std::string> refusals_;
};

}  // namespace fleetmark::chaos
