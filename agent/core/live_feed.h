// What people may want to see while a step runs: its progress line and its log. Bounded, kept in
// memory and dropped when it can't be sent; no result depends on it. Safe on any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/model/work.h"

namespace fleetmark::agent::core {

struct LiveLog {
  model::LeaseRef lease;
  std::uint32_t sequence = 0;
  std::string text;
};
struct LiveProgress {
  model::LeaseRef lease;
  std::string text;
};

class LiveFeed {
 public:
  static constexpr std::size_t kMostLogs = 256;

  void progress(const model::LeaseRef& lease, const std::string& text) {
    std::lock_guard lock(mutex_);
    progress_ = LiveProgress{lease, text};
  }
  void log(const model::LeaseRef& lease, const std::string& text) {
    std::lock_guard lock(mutex_);
    if (!(lease == sequenceOf_)) {
      sequenceOf_ = lease;
      sequence_ = 0;
    }
    logs_.push_back({lease, sequence_++, text});
    if (logs_.size() > kMostLogs) logs_.pop_front();
  }

  // Takes it out; only the latest progress line is kept.
  std::optional<LiveProgress> takeProgress() {
    std::lock_guard lock(mutex_);
    return std::exchange(progress_, std::nullopt);
  }
  std::optional<LiveLog> takeLog() {
    std::lock_guard lock(mutex_);
    if (logs_.empty()) return std::nullopt;
    auto out = std::move(logs_.front());
    logs_.pop_front();
    return out;
  }
  bool hasProgress() const {
    std::lock_guard lock(mutex_);
    return progress_.has_value();
  }

 private:
  mutable std::mutex mutex_;
  std::optional<LiveProgress> progress_;
  std::deque<LiveLog> logs_;
  model::LeaseRef sequenceOf_;
  std::uint32_t sequence_ = 0;
};

}  // namespace fleetmark::agent::core
