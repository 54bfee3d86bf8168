#include "agent/core/session.h"

#include <algorithm>

#include "common/base/log.h"

namespace fleetmark::agent::core {

using base::ErrorCode;
using base::LogLevel;

namespace {

class AttemptSink final : public RunSink {
 public:
  AttemptSink(Spool& spool, LiveFeed& feed, SpoolKey key, const model::LeaseRef& lease)
      : spool_(spool), feed_(feed), key_(key), lease_(lease) {}

  base::Status chunk(const model::SampleChunk& chunk) override {
    return spool_.append(key_, chunk);
  }
  void progress(const std::string& text) override {
    feed_.progress(lease_, text);
    spool_.wake();
  }
  void log(const std::string& text) override {
    base::log(LogLevel::kDebug, "probe.stderr", {{"step", lease_.step.value}, {"text", text}});
    feed_.log(lease_, text);
    spool_.wake();
  }

 private:
  Spool& spool_;
  LiveFeed& feed_;
  SpoolKey key_;
  const model::LeaseRef& lease_;
};

// Refusals that no waiting mends.
bool forGood(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kNotFound:
    case ErrorCode::kDenied:
    case ErrorCode::kUnsupported:
      return true;
    case ErrorCode::kConflict:
    case ErrorCode::kUnavailable:
    case ErrorCode::kOverloaded:
    case ErrorCode::kInternal:
      return false;
  }
  return false;
}

}  // namespace

Session::Session(CoordinatorPort& port, Spool& spool, const base::Clock& clock,
                 model::AgentHello hello, SessionOptions options)
    : port_(port),
      spool_(spool),
      clock_(clock),
      hello_(std::move(hello)),
      options_(std::move(options)),
      keeper_(port, clock, options_.keeperWait),
      uploader_(port, spool, feed_, keeper_, clock, options_.uploader),
      start_(port, clock, options_.start),
      runner_(options_.runner, clock) {}

base::Status Session::run() {
  settleRecovered();
  base::Status registered = registerAgent();
  if (registered && !stopping()) {
    uploader_.start();
    takeLoop();
    waitLastReport();
  }
  port_.stop();
  uploader_.stop();
  keeper_.stop();
  auto left = spool_.entries().size();
  if (left > 0) {
    base::log(LogLevel::kInfo, "spool.left", {{"attempts", left}, {"until", "the next start"}});
  }
  return registered;
}

void Session::requestStop() {
  ++stops_;
  std::lock_guard lock(mutex_);
  if (running_) running_->stop(StopReason::kAgentStopping);
  if (inCall_ || stops_.load() > 1) port_.stop();
  wake_.notify_all();
  spool_.wake();
}

bool Session::enterCall() {
  std::lock_guard lock(mutex_);
  if (stopping()) return false;
  inCall_ = true;
  return true;
}

void Session::leaveCall() {
  std::lock_guard lock(mutex_);
  inCall_ = false;
}

bool Session::pauseFor(base::Nanos limit) {
  std::unique_lock lock(mutex_);
  return wake_.wait_for(lock, limit, [this] { return stopping(); });
}

// Attempts that an earlier start of this agent left without an end.
void Session::settleRecovered() {
  for (const auto& notice : spool_.notices()) {
    base::log(LogLevel::kWarning, "spool.recovered", {{"message", notice}});
  }
  for (const auto& entry : spool_.entries()) {
    if (entry.completed) continue;
    model::Completion completion;
    completion.outcome = model::Outcome::kInfrastructure;
    completion.message = "the agent restarted during the step; what it had measured is kept";
    completion.chunkCount = entry.chunks;
    auto kept = spool_.complete(entry.key, completion);
    base::log(LogLevel::kWarning, "attempt.interrupted",
              {{"attempt", entry.assignment.attempt.value},
               {"chunks", std::size_t{entry.chunks}},
               {"kept", kept ? std::string("on disk") : kept.error().message}});
  }
}

base::Status Session::registerAgent() {
  Backoff backoff(options_.uploader.retryInitial, options_.uploader.retryMost,
                  base::secureRandomSeed());
  bool told = false;
  while (enterCall()) {
    auto info = port_.registerAgent(hello_);
    leaveCall();
    if (info) {
      base::log(LogLevel::kInfo, "agent.registered",
                {{"agent", info->agent.toString()}, {"name", hello_.name}});
      keeper_.start(info->heartbeat);
      for (const auto& entry : spool_.entries()) {
        keeper_.add(entry.assignment.lease, entry.assignment.leaseTtl, nullptr);
      }
      return {};
    }
    if (stopping()) return {};
    if (forGood(info.error().code)) return info.error();
    if (!told) {
      base::log(LogLevel::kWarning, "coordinator.unreachable",
                {{"code", base::toString(info.error().code)}, {"message", info.error().message}});
    }
    told = true;
    pauseFor(backoff.next());
  }
  return {};
}

void Session::takeLoop() {
  Backoff backoff(options_.uploader.retryInitial, options_.uploader.retryMost,
                  base::secureRandomSeed());
  bool full = false;
  bool lost = false;
  while (!stopping()) {
    // The last step's report goes out while the host is idle, not under the next measurement.
    waitReported();
    auto room = spool_.admit();
    if (!room) {
      if (!full) {
        base::log(LogLevel::kError, "spool.full", {{"message", room.error().message}});
      }
      full = true;
      pauseFor(options_.full);
      continue;
    }
    full = false;
    if (!enterCall()) return;
    base::MonoTime asked = clock_.mono();
    auto reply = port_.takeWork(options_.takeWait);
    leaveCall();
    if (!reply) {
      if (stopping()) return;
      if (!lost) {
        base::log(
            LogLevel::kWarning, "work.unavailable",
            {{"code", base::toString(reply.error().code)}, {"message", reply.error().message}});
      }
      lost = true;
      pauseFor(backoff.next());
      continue;
    }
    lost = false;
    backoff.reset();
    if (reply->assignment) {
      execute(*reply->assignment, asked);
      continue;
    }
    if (reply->reason != whyNoWork_) {
      whyNoWork_ = reply->reason;
      base::log(LogLevel::kInfo, "work.none", {{"reason", whyNoWork_}});
    }
    if (clock_.mono() - asked < options_.pause) pauseFor(options_.pause);
  }
}

void Session::execute(const model::Assignment& assignment, base::MonoTime asked) {
  base::MonoTime received = clock_.mono();
  auto key = spool_.begin(assignment);
  if (!key) return refuse(assignment, key.error().message);

  auto control = std::make_shared<RunControl>(received + LeaseKeeper::safeFor(assignment.leaseTtl));
  keeper_.add(assignment.lease, assignment.leaseTtl, control);
  {
    std::lock_guard lock(mutex_);
    running_ = control;
    if (stopping()) control->stop(StopReason::kAgentStopping);
  }
  base::log(LogLevel::kInfo, "step.started",
            {{"step", assignment.lease.step.value},
             {"attempt", assignment.attempt.value},
             {"campaign", assignment.campaignName},
             {"probe", assignment.probe}});
  AttemptSink sink(spool_, feed_, *key, assignment.lease);
  auto completion = runStep(assignment, asked, sink, *control);
  {
    std::lock_guard lock(mutex_);
    running_.reset();
  }
  keeper_.runOver(assignment.lease);
  base::log(LogLevel::kInfo, "step.ended",
            {{"step", assignment.lease.step.value},
             {"attempt", assignment.attempt.value},
             {"outcome", model::toString(completion.outcome)},
             {"message", completion.message}});
  auto kept = spool_.complete(*key, completion);
  if (!kept) {
    base::log(LogLevel::kError, "spool.completion_in_memory",
              {{"attempt", assignment.attempt.value}, {"message", kept.error().message}});
  }
}

// An assignment that was long on its way (this process or its network stood still) names a lease
// that may have run out since. How long it was nobody knows when work was waited for; then the
// answer to the first renewal says whether the lease holds. What comes quickly is safe by the
// margin of LeaseKeeper::safeFor.
bool Session::leaseHolds(const model::Assignment& assignment, base::MonoTime asked,
                         RunControl& control) {
  const base::Nanos margin = assignment.leaseTtl - LeaseKeeper::safeFor(assignment.leaseTtl);
  if (clock_.mono() - asked <= margin) return true;
  while (!control.waitRenewed(options_.keeperWait)) {
    if (clock_.mono() >= control.leaseUntil()) control.stop(StopReason::kLeaseExpired);
    if (control.reason() != StopReason::kNone) return false;
  }
  return true;
}

model::Completion Session::runStep(const model::Assignment& assignment, base::MonoTime asked,
                                   RunSink& sink, RunControl& control) {
  model::Completion completion;
  if (!leaseHolds(assignment, asked, control)) {
    auto ending = endingOf(control.reason(), "before the probe was started");
    completion.outcome = ending.outcome;
    completion.message = ending.message;
    return completion;
  }
  auto ready = start_.make(assignment, sink, control);
  if (ready.ended) {
    completion.outcome = ready.ended->outcome;
    completion.message = ready.ended->message;
  } else {
    completion = runner_.run(assignment, sink, control);
  }
  completion.notices.insert(completion.notices.begin(), ready.notices.begin(), ready.notices.end());
  completion.quietJson = ready.quietJson;
  return completion;
}

// Nothing was run, so nothing is lost if the coordinator doesn't hear it: the lease runs out.
void Session::refuse(const model::Assignment& assignment, const std::string& why) {
  base::log(LogLevel::kError, "step.refused",
            {{"step", assignment.lease.step.value}, {"message", why}});
  model::Completion completion;
  completion.outcome = model::Outcome::kInfrastructure;
  completion.message = "the agent could not begin: " + why;
  if (!enterCall()) return;
  auto told = port_.complete(assignment.lease, completion, nullptr);
  leaveCall();
  if (!told) {
    base::log(LogLevel::kWarning, "step.refusal_unsent", {{"message", told.error().message}});
  }
}

bool Session::drained() const { return spool_.entries().empty(); }

void Session::waitReported() {
  while (!stopping()) {
    auto seen = spool_.version();
    if (drained()) return;
    spool_.waitForChange(seen, options_.full);
  }
}

void Session::waitLastReport() {
  base::MonoTime until = clock_.mono() + options_.stopPatience;
  while (stops_.load() < 2) {
    auto seen = spool_.version();
    base::Nanos left = until - clock_.mono();
    if (drained() || left <= base::Nanos(0)) return;
    spool_.waitForChange(seen, left);
  }
}

}  // namespace fleetmark::agent::core
