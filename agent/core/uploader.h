// Brings the spool to the coordinator, on a thread of its own: per attempt its chunks in order,
// then its completion (with the last chunk, where that was not sent before), and drops the attempt
// once the coordinator has answered for it.
//
//   answer to a chunk       ok, duplicate: next      fenced, unknown: the rest isn't sent
//   answer to a completion  ok, duplicate, fenced, unknown: drop      missing: those chunks again
//   kUnavailable, kOverloaded, kDenied   again after a growing pause
//   kInternal                            the same, at most kMostInternal times in a row
//   the spool can't be read              again, at most kMostInternal times; then as below
//   any other error                      the attempt's file is set aside, see spool.h
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/core/backoff.h"
#include "agent/core/coordinator_port.h"
#include "agent/core/lease_keeper.h"
#include "agent/core/live_feed.h"
#include "agent/core/spool.h"
#include "common/base/clock.h"

namespace fleetmark::agent::core {

struct UploaderOptions {
  base::Nanos retryInitial = std::chrono::milliseconds(500);
  base::Nanos retryMost = std::chrono::seconds(5);
  base::Nanos progressEvery = std::chrono::milliseconds(500);
};

class Uploader {
 public:
  static constexpr int kMostInternal = 20;
  static constexpr int kMostMissing = 5;  // how often a completion may be answered "missing"

  Uploader(CoordinatorPort& port, Spool& spool, LiveFeed& feed, LeaseKeeper& keeper,
           const base::Clock& clock, UploaderOptions options);
  ~Uploader() { stop(); }

  void start();
  // Returns when the thread has ended; the port must have been stopped or answer soon.
  void stop();

 private:
  // What this thread knows of an attempt under way. After a restart all is sent again.
  struct Upload {
    std::uint32_t nextChunk = 0;
    std::vector<std::uint32_t> again;
    bool closed = false;  // fenced or unknown: only waits for its completion to be dropped
    int internals = 0;
    int missings = 0;
    int unreadable = 0;  // times that the spool could not be read
  };
  enum class Turn { kSent, kNothing, kRetry };

  void loop();
  Turn turn();
  Turn unreadable(const SpoolEntry& entry, Upload& upload, const base::Error& error);
  Turn advance(const SpoolEntry& entry);
  Turn sendChunk(const SpoolEntry& entry, Upload& upload, std::uint32_t number);
  Turn sendCompletion(const SpoolEntry& entry, Upload& upload);
  Turn failed(const SpoolEntry& entry, Upload& upload, const base::Error& error);
  void finish(const SpoolEntry& entry, model::IngestAnswer answer);
  void giveUp(const SpoolEntry& entry, const std::string& reason);
  void sendLive();
  base::Nanos idleWait() const;
  bool stopping() const;

  CoordinatorPort& port_;
  Spool& spool_;
  LiveFeed& feed_;
  LeaseKeeper& keeper_;
  const base::Clock& clock_;
  UploaderOptions options_;
  Backoff backoff_;
  std::map<SpoolKey, Upload> uploads_;
  std::optional<base::MonoTime> progressSent_;
  bool reachable_ = true;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fleetmark::agent::core
