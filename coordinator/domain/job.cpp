#include "coordinator/domain/job.h"

#include <string>

#include "common/base/check.h"

namespace fleetmark::coordinator::domain {

namespace {

using Table = std::span<const Transition<JobState, JobEventKind>>;

std::string_view eventWord(JobState state) {
  switch (state) {
    case JobState::kPending:
      return "job.pending";
    case JobState::kRunning:
      return "job.running";
    case JobState::kDone:
      return "job.done";
    case JobState::kFailed:
      return "job.failed";
    case JobState::kCancelled:
      return "job.cancelled";
  }
  return "?";
}

JobState target(JobState from, JobEventKind event) {
  switch (event) {
    case JobEventKind::kNoneStarted:
      return from;
    case JobEventKind::kSomeStarted:
      return JobState::kRunning;
    case JobEventKind::kAllMeasured:
      return JobState::kDone;
    case JobEventKind::kEndedFailed:
      return JobState::kFailed;
    case JobEventKind::kEndedCancelled:
      return JobState::kCancelled;
  }
  return from;
}

}  // namespace

std::string_view toString(JobEventKind kind) {
  switch (kind) {
    case JobEventKind::kNoneStarted:
      return "none started";
    case JobEventKind::kSomeStarted:
      return "some started";
    case JobEventKind::kAllMeasured:
      return "all measured";
    case JobEventKind::kEndedFailed:
      return "ended failed";
    case JobEventKind::kEndedCancelled:
      return "ended cancelled";
  }
  return "?";
}

JobEventKind jobEventOf(std::span<const StepState> steps) {
  FM_CHECK(!steps.empty());
  bool open = false, started = false, failed = false, cancelled = false;
  for (StepState state : steps) {
    switch (state) {
      case StepState::kBlocked:
      case StepState::kReady:
        open = true;
        break;
      case StepState::kLeased:
        open = started = true;
        break;
      case StepState::kMeasured:
        started = true;
        break;
      case StepState::kFailed:
      case StepState::kLost:
        started = failed = true;
        break;
      case StepState::kCancelled:
        cancelled = true;
        break;
    }
  }
  if (open) return started ? JobEventKind::kSomeStarted : JobEventKind::kNoneStarted;
  if (failed) return JobEventKind::kEndedFailed;
  return cancelled ? JobEventKind::kEndedCancelled : JobEventKind::kAllMeasured;
}

base::Result<Applied<Job>> apply(const Job& job, JobEventKind event, TimePoint /*now*/) {
  if (!allows(Table(kJobTransitions), job.state, event)) {
    return base::conflict("job is " + std::string(toString(job.state)) + ": '" +
                          std::string(toString(event)) + "' can't happen now");
  }
  Applied<Job> out{{target(job.state, event)}, {}};
  FM_CHECK(allows(Table(kJobTransitions), job.state, event, out.next.state));
  if (out.next.state != job.state) {
    out.effects.push_back({EffectKind::kRollUpCampaign, {}, {}});
    out.effects.push_back({EffectKind::kAppendEvent, {}, eventWord(out.next.state)});
  }
  return out;
}

JobState rollUpJob(JobState current, std::span<const StepState> steps) {
  auto applied = apply(Job{current}, jobEventOf(steps), TimePoint{});
  return applied ? applied->next.state : current;
}

}  // namespace fleetmark::coordinator::domain
