// A job: probe x runner x trial. Its state follows from its steps.
//
//   pending ---- some started ----> running
//      |                               |
//      +---- all ended: ---------------+--> done       every step measured
//                                           failed     a step failed or was lost
//                                           cancelled  none of these, and a step was cancelled
//
// A job that has run does not become pending again while its step waits for another attempt.
// done, failed and cancelled are final.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "coordinator/domain/machine.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::domain {

struct Job {
  JobState state = JobState::kPending;
  bool operator==(const Job&) const = default;
};

enum class JobEventKind {
  kNoneStarted,
  kSomeStarted,
  kAllMeasured,
  kEndedFailed,
  kEndedCancelled,
};

inline constexpr std::array kAllJobEvents{JobEventKind::kNoneStarted, JobEventKind::kSomeStarted,
                                          JobEventKind::kAllMeasured, JobEventKind::kEndedFailed,
                                          JobEventKind::kEndedCancelled};

std::string_view toString(JobEventKind kind);

// What the steps of a job (at least one) say together.
JobEventKind jobEventOf(std::span<const StepState> steps);

// kConflict: the event contradicts a final state.
base::Result<Applied<Job>> apply(const Job& job, JobEventKind event, TimePoint now);

// The state that a job has after its steps have moved. A final state stays.
JobState rollUpJob(JobState current, std::span<const StepState> steps);

inline constexpr Transition<JobState, JobEventKind> kJobTransitions[] = {
    {JobState::kPending, JobEventKind::kNoneStarted, JobState::kPending},
    {JobState::kPending, JobEventKind::kSomeStarted, JobState::kRunning},
    {JobState::kPending, JobEventKind::kAllMeasured, JobState::kDone},
    {JobState::kPending, JobEventKind::kEndedFailed, JobState::kFailed},
    {JobState::kPending, JobEventKind::kEndedCancelled, JobState::kCancelled},

    {JobState::kRunning, JobEventKind::kNoneStarted, JobState::kRunning},
    {JobState::kRunning, JobEventKind::kSomeStarted, JobState::kRunning},
    {JobState::kRunning, JobEventKind::kAllMeasured, JobState::kDone},
    {JobState::kRunning, JobEventKind::kEndedFailed, JobState::kFailed},
    {JobState::kRunning, JobEventKind::kEndedCancelled, JobState::kCancelled},

    {JobState::kDone, JobEventKind::kAllMeasured, JobState::kDone},

    {JobState::kFailed, JobEventKind::kEndedFailed, JobState::kFailed},

    {JobState::kCancelled, JobEventKind::kEndedCancelled, JobState::kCancelled},
};

}  // namespace fleetmark::coordinator::domain
