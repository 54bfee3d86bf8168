#include "agent/core/lease_keeper.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/rpc/wire_limits.h"

namespace fleetmark::agent::core {

namespace {

constexpr std::size_t kMostLeases = rpc::kMaxLeases;  // in one renewal
constexpr base::Nanos kShortest = std::chrono::milliseconds(10);

bool sameLease(const model::LeaseRef& a, const model::LeaseRef& b) {
  return a.step == b.step && a.epoch == b.epoch;
}

}  // namespace

void LeaseKeeper::start(base::Nanos heartbeat) {
  heartbeat_ = heartbeat > base::Nanos(0) ? heartbeat : std::chrono::seconds(10);
  thread_ = std::thread([this] { loop(); });
}

void LeaseKeeper::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LeaseKeeper::add(const model::LeaseRef& lease, base::Nanos ttl,
                      std::shared_ptr<RunControl> control) {
  {
    std::lock_guard lock(mutex_);
    held_.push_back({lease, ttl, std::move(control)});
    due_ = true;
  }
  wake_.notify_all();
}

void LeaseKeeper::runOver(const model::LeaseRef& lease) {
  std::lock_guard lock(mutex_);
  if (Held* held = findLocked(lease)) held->control.reset();
}

void LeaseKeeper::remove(const model::LeaseRef& lease) {
  std::lock_guard lock(mutex_);
  std::erase_if(held_, [&](const Held& held) { return sameLease(held.lease, lease); });
}

void LeaseKeeper::lost(const model::LeaseRef& lease) {
  std::lock_guard lock(mutex_);
  Held* held = findLocked(lease);
  if (held != nullptr && held->control) held->control->stop(StopReason::kLeaseLost);
  std::erase_if(held_, [&](const Held& known) { return sameLease(known.lease, lease); });
}

LeaseKeeper::Held* LeaseKeeper::findLocked(const model::LeaseRef& lease) {
  for (auto& held : held_) {
    if (sameLease(held.lease, lease)) return &held;
  }
  return nullptr;
}

base::Nanos LeaseKeeper::intervalLocked() const {
  base::Nanos interval = heartbeat_;
  for (const auto& held : held_) interval = std::min(interval, held.ttl / 3);
  return std::max(interval, kShortest);
}

// The youngest ones when there are too many: the running step is among them.
std::vector<model::LeaseRef> LeaseKeeper::leasesLocked() const {
  std::vector<model::LeaseRef> out;
  std::size_t skip = held_.size() > kMostLeases ? held_.size() - kMostLeases : 0;
  for (std::size_t i = skip; i < held_.size(); ++i) out.push_back(held_[i].lease);
  return out;
}

void LeaseKeeper::loop() {
  std::unique_lock lock(mutex_);
  base::MonoTime next = clock_.mono();
  bool reachable = true;
  while (!stopping_) {
    base::MonoTime now = clock_.mono();
    if (!due_ && now < next) {
      wake_.wait_for(lock, std::min(next - now, longestWait_));
      continue;
    }
    due_ = false;
    auto leases = leasesLocked();
    lock.unlock();
    base::MonoTime sent = clock_.mono();
    auto answers = port_.renew(leases);
    lock.lock();
    if (answers && answers->size() == leases.size()) {
      if (!reachable) base::log(base::LogLevel::kInfo, "heartbeat.back");
      reachable = true;
      applyLocked(leases, *answers, sent);
      next = sent + intervalLocked();
    } else {
      if (reachable) {
        base::log(base::LogLevel::kWarning, "heartbeat.failed",
                  {{"leases", leases.size()},
                   {"message", answers ? "the coordinator answered for another number of leases"
                                       : answers.error().message}});
      }
      reachable = false;
      next = clock_.mono() + std::max(intervalLocked() / 4, kShortest);
    }
  }
}

void LeaseKeeper::applyLocked(const std::vector<model::LeaseRef>& leases,
                              const std::vector<model::RenewAnswer>& answers, base::MonoTime sent) {
  for (std::size_t i = 0; i < leases.size(); ++i) {
    Held* held = findLocked(leases[i]);
    if (held == nullptr) continue;  // removed while the answer was on its way
    StopReason reason = StopReason::kNone;
    switch (answers[i]) {
      case model::RenewAnswer::kRenewed:
        if (held->control) held->control->extendLease(sent + safeFor(held->ttl));
        continue;
      case model::RenewAnswer::kLost:
        reason = StopReason::kLeaseLost;
        break;
      case model::RenewAnswer::kCancel:
        reason = StopReason::kCancelled;
        break;
    }
    base::log(base::LogLevel::kInfo, "lease.ended",
              {{"step", leases[i].step.value},
               {"epoch", leases[i].epoch},
               {"answer", model::toString(answers[i])}});
    if (held->control) held->control->stop(reason);
    std::erase_if(held_, [&](const Held& known) { return sameLease(known.lease, leases[i]); });
  }
}

}  // namespace fleetmark::agent::core
