// A coordinator in memory. It does what the real one does with leases, chunks and completions, and
// misbehaves as a test tells it to. Safe on any thread.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/coordinator_port.h"

namespace fleetmark::agent::core::testing {

class FakeCoordinator final : public CoordinatorPort {
 public:
  // What the next calls of a kind answer instead of the usual; nullopt in the queue: the usual.
  struct Script {
    std::deque<std::optional<base::Error>> registers;
    std::deque<std::optional<base::Error>> takes;
    std::deque<std::optional<base::Error>> renews;
    std::deque<std::optional<base::Result<IngestReply>>> chunks;
    std::deque<std::optional<base::Result<IngestReply>>> completions;
    // The last one stays; empty: kBegin.
    std::deque<base::Result<model::ArriveAnswer>> arrivals;
    model::RenewAnswer renewAnswer = model::RenewAnswer::kRenewed;
    bool silentRenews = false;  // a renewal isn't answered until stop() or this is taken back
    bool unreachable = false;   // all calls but stop
  };
  struct Ended {
    model::LeaseRef lease;
    model::Completion completion;
  };

  void script(const std::function<void(Script&)>& change) {
    std::lock_guard lock(mutex_);
    change(script_);
    wake_.notify_all();
  }
  void give(model::Assignment assignment) {
    std::lock_guard lock(mutex_);
    work_.push_back(std::move(assignment));
    wake_.notify_all();
  }
  // False after 20 s: the test has hung.
  bool waitUntil(const std::function<bool(const FakeCoordinator&)>& reached) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(20), [&] { return reached(*this); });
  }

  // To be read inside waitUntil, or when no thread calls any more.
  std::vector<Ended> ended;
  std::map<std::uint32_t, model::SampleChunk> chunks;  // of the last attempt
  std::vector<std::string> progresses;
  std::string logs;
  int registrations = 0;
  int renewals = 0;
  int renewsUnderWay = 0;
  int chunkCalls = 0;
  int completionCalls = 0;
  int takesUnderWay = 0;
  int arrivals = 0;
  bool stopped = false;
  model::AgentHello hello;
  std::vector<model::LeaseRef> lastRenewed;

  base::Result<SessionInfo> registerAgent(const model::AgentHello& who) override {
    std::unique_lock lock(mutex_);
    FM_TRY(usual(script_.registers));
    ++registrations;
    hello = who;
    wake_.notify_all();
    return SessionInfo{*base::Uuid::parse("11111111-2222-4333-8444-555555555555"),
                       std::chrono::milliseconds(20)};
  }

  base::Result<TakeReply> takeWork(base::Nanos wait) override {
    std::unique_lock lock(mutex_);
    FM_TRY(usual(script_.takes));
    ++takesUnderWay;
    wake_.notify_all();
    wake_.wait_for(lock, wait, [&] { return stopped || !work_.empty() || script_.unreachable; });
    --takesUnderWay;
    if (stopped || script_.unreachable) return base::unavailable("the connection was lost");
    TakeReply reply;
    reply.reason = "nothing ready";
    if (!work_.empty()) {
      reply.assignment = work_.front();
      work_.pop_front();
      chunks.clear();
    }
    return reply;
  }

  base::Result<std::vector<model::RenewAnswer>> renew(
      std::span<const model::LeaseRef> leases) override {
    std::unique_lock lock(mutex_);
    ++renewsUnderWay;
    wake_.notify_all();
    wake_.wait(lock, [&] { return stopped || !script_.silentRenews; });
    --renewsUnderWay;
    FM_TRY(usual(script_.renews));
    ++renewals;
    lastRenewed.assign(leases.begin(), leases.end());
    wake_.notify_all();
    return std::vector<model::RenewAnswer>(leases.size(), script_.renewAnswer);
  }

  base::Result<IngestReply> appendSamples(const model::LeaseRef&,
                                          const model::SampleChunk& chunk) override {
    std::unique_lock lock(mutex_);
    ++chunkCalls;
    wake_.notify_all();
    FM_TRY(usual());
    if (auto answer = next(script_.chunks)) return *answer;
    auto [known, added] = chunks.emplace(chunk.number, chunk);
    if (!added && !(known->second == chunk)) return base::conflict("another chunk of this number");
    return IngestReply{added ? model::IngestAnswer::kOk : model::IngestAnswer::kDuplicate, {}};
  }

  base::Result<IngestReply> complete(const model::LeaseRef& lease,
                                     const model::Completion& completion,
                                     const model::SampleChunk* lastChunk) override {
    std::unique_lock lock(mutex_);
    ++completionCalls;
    wake_.notify_all();
    FM_TRY(usual());
    if (lastChunk != nullptr) chunks.emplace(lastChunk->number, *lastChunk);
    if (auto answer = next(script_.completions)) return *answer;
    IngestReply reply;
    for (std::uint32_t number = 0; number < completion.chunkCount; ++number) {
      if (!chunks.contains(number)) reply.missing.push_back(number);
    }
    if (!reply.missing.empty()) {
      reply.answer = model::IngestAnswer::kMissing;
    } else {
      ended.push_back({lease, completion});
    }
    return reply;
  }

  base::Result<model::ArriveAnswer> arrive(const model::LeaseRef&, base::Nanos) override {
    std::lock_guard lock(mutex_);
    ++arrivals;
    wake_.notify_all();
    FM_TRY(usual());
    if (script_.arrivals.empty()) return model::ArriveAnswer::kBegin;
    auto answer = script_.arrivals.front();
    if (script_.arrivals.size() > 1) script_.arrivals.pop_front();
    return answer;
  }

  base::Status progress(const model::LeaseRef&, const std::string& text) override {
    std::lock_guard lock(mutex_);
    progresses.push_back(text);
    wake_.notify_all();
    return {};
  }
  base::Result<IngestReply> log(const model::LeaseRef&, const std::string&, std::uint32_t,
                                const std::string& text) override {
    std::lock_guard lock(mutex_);
    logs += text;
    wake_.notify_all();
    return IngestReply{};
  }
  void stop() override {
    std::lock_guard lock(mutex_);
    stopped = true;
    wake_.notify_all();
  }

 private:
  base::Status usual() const {
    if (stopped) return base::unavailable("stopped");
    if (script_.unreachable) return base::unavailable("no route to the coordinator");
    return {};
  }
  base::Status usual(std::deque<std::optional<base::Error>>& scripted) {
    FM_TRY(usual());
    if (auto error = next(scripted)) return *error;
    return {};
  }
  template <typename T>
  static std::optional<T> next(std::deque<std::optional<T>>& scripted) {
    if (scripted.empty()) return std::nullopt;
    auto first = std::move(scripted.front());
    scripted.pop_front();
    return first;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  Script script_;
  std::deque<model::Assignment> work_;
};

inline IngestReply answered(model::IngestAnswer answer, std::vector<std::uint32_t> missing = {}) {
  return {answer, std::move(missing)};
}

}  // namespace fleetmark::agent::core::testing
