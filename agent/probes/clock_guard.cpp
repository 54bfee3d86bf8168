#include "agent/probes/clock_guard.h"

#include "common/base/units.h"

namespace fleetmark::agent::probes {

namespace {

// A reading is of one moment but for an interrupt or two; a suspend takes longer than this, and a
// wall clock that is set by less is as good as before.
constexpr base::Nanos kNoticeable = std::chrono::milliseconds(100);
constexpr std::size_t kMostEvents = 16;

}  // namespace

void ClockGuard::look() {
  ClockReading now = clocks_.read();
  base::Nanos mono = now.mono - last_.mono;
  base::Nanos wall = now.wall - last_.wall;
  base::Nanos awake = mono;
  std::string reason;
  if (now.boot && last_.boot) {
    awake = *now.boot - *last_.boot;
    if (awake - mono >= kNoticeable) {
      reason = "the machine was suspended for " + base::formatDuration(awake - mono);
    }
  }
  base::Nanos set = wall - awake;
  if (set >= kNoticeable || set <= -kNoticeable) {
    if (!reason.empty()) reason += " and ";
    reason += "its wall clock was set " + std::string(set > base::Nanos(0) ? "forward" : "back") +
              " by " + base::formatDuration(set > base::Nanos(0) ? set : -set);
  }
  last_ = now;
  if (reason.empty()) return;
  if (reason.substr(0, 3) == "its") reason = "the machine's" + reason.substr(3);
  if (events_.size() == kMostEvents) events_.erase(events_.begin());
  events_.push_back({now.wall, reason + " during this sample"});
}

void ClockGuard::sample(const model::Sample& sample) {
  look();
  base::WallTime started = base::fromUnixNanos(sample.startedAtNs);
  model::Sample out = sample;
  for (const auto& event : events_) {
    // One that began in the future began before the clock was set back.
    if (started >= event.seen && started <= last_.wall) continue;
    if (out.verdict == model::Verdict::kOk || out.verdict == model::Verdict::kContended) {
      out.verdict = model::Verdict::kUnverified;
    }
    out.reasons.push_back(event.reason);
  }
  sink_.sample(out);
}

void ClockGuard::notice(const model::Notice& notice) {
  look();
  sink_.notice(notice);
}

void ClockGuard::progress(const std::string& text) {
  look();
  sink_.progress(text);
}

}  // namespace fleetmark::agent::probes
