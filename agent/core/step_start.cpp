#include "agent/core/step_start.h"

#include "agent/core/backoff.h"
#include "common/base/log.h"

namespace fleetmark::agent::core {

using model::Outcome;

namespace {

constexpr std::string_view kBefore = "before the probe was started";

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

bool mayAskAgain(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::kUnavailable:
    case base::ErrorCode::kOverloaded:
    case base::ErrorCode::kInternal:
      return true;
    case base::ErrorCode::kInvalid:
    case base::ErrorCode::kNotFound:
    case base::ErrorCode::kConflict:
    case base::ErrorCode::kDenied:
    case base::ErrorCode::kUnsupported:
      return false;
  }
  return false;
}

}  // namespace

StepReadiness StepStart::make(const model::Assignment& assignment, RunSink& sink,
                              RunControl& control) {
  StepReadiness out;
  for (const auto& process : leftovers()) {
    out.notices.push_back({"agent/leftovers", "process " + process +
                                                  " of an earlier probe could not be ended; "
                                                  "restart this machine"});
  }
  if (assignment.quiet) waitForQuiet(*assignment.quiet, sink, control, out);
  if (!out.ended && !assignment.group.empty()) waitForGroup(assignment, sink, control, out);
  return out;
}

bool StepStart::isOver(RunControl& control) const {
  if (clock_.mono() >= control.leaseUntil()) control.stop(StopReason::kLeaseExpired);
  return control.reason() != StopReason::kNone;
}

std::vector<std::string> StepStart::leftovers() const {
  return options_.leftovers ? options_.leftovers() : std::vector<std::string>();
}

std::optional<QuietWindow> StepStart::look(RunControl& control) {
  std::vector<TimedReading> readings;
  base::MonoTime began = clock_.mono();
  for (;;) {
    base::MonoTime now = clock_.mono();
    readings.push_back({now, options_.activity ? options_.activity->read() : ActivityReading{}});
    if (now - began >= options_.window) break;
    control.waitFor(options_.slice);
    if (isOver(control)) return std::nullopt;
  }
  return windowOf(readings, leftovers());
}

void StepStart::waitForQuiet(const model::QuietSpec& spec, RunSink& sink, RunControl& control,
                             StepReadiness& out) {
  base::MonoTime began = clock_.mono();
  std::vector<std::string> disturbed;
  base::Nanos waited{0};
  for (;;) {
    auto window = look(control);
    if (!window) {
      out.ended = endingOf(control.reason(), kBefore);
      return;
    }
    waited = clock_.mono() - began;
    disturbed = disturbances(*window, spec.loadPerCpu);
    out.quietJson = quietJson(*window, disturbed, waited);
    if (disturbed.empty()) return;
    // What a system doesn't say no waiting brings.
    if (!window->loadPerCpu || waited >= spec.wait) break;
    sink.progress("waiting for a quiet host: " + joined(disturbed));
  }
  std::string seen =
      "the host was not quiet after " + base::formatDuration(waited) + ": " + joined(disturbed);
  switch (spec.otherwise) {
    case model::QuietOtherwise::kMark:
      out.notices.push_back({"agent/quiet", seen + "; measured all the same"});
      return;
    case model::QuietOtherwise::kFail:
      out.ended =
          Ending{Outcome::kMeasurement, seen + "; nothing was started, as the campaign asks for"};
      return;
  }
}

void StepStart::waitForGroup(const model::Assignment& assignment, RunSink& sink,
                             RunControl& control, StepReadiness& out) {
  Backoff backoff(options_.retryInitial, options_.retryMost, base::secureRandomSeed());
  bool told = false;
  sink.progress("waiting for the other members of group '" + assignment.group + "'");
  while (!isOver(control)) {
    base::MonoTime asked = clock_.mono();
    auto answer = port_.arrive(assignment.lease, options_.arriveWait);
    if (isOver(control)) break;
    if (!answer) {
      if (!mayAskAgain(answer.error().code)) {
        out.ended = Ending{Outcome::kInfrastructure, "the coordinator doesn't let group '" +
                                                         assignment.group +
                                                         "' begin: " + answer.error().message};
        return;
      }
      if (!told) {
        base::log(base::LogLevel::kWarning, "arrive.failed",
                  {{"step", assignment.lease.step.value}, {"message", answer.error().message}});
      }
      told = true;
      control.waitFor(backoff.next());
      continue;
    }
    backoff.reset();
    switch (*answer) {
      case model::ArriveAnswer::kBegin:
        return;
      case model::ArriveAnswer::kWait:
        // One that doesn't wait must not be asked without a pause.
        if (clock_.mono() - asked < options_.arriveWait / 2) control.waitFor(backoff.next());
        continue;
      case model::ArriveAnswer::kReleased:
        out.ended = Ending{Outcome::kInfrastructure,
                           "a member of group '" + assignment.group +
                               "' did not come in time, so all were released before anything was "
                               "started"};
        return;
      case model::ArriveAnswer::kLost:
        control.stop(StopReason::kLeaseLost);
        continue;
    }
  }
  out.ended = endingOf(control.reason(), kBefore);
}

}  // namespace fleetmark::agent::core
