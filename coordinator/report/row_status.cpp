#include "coordinator/report/row_status.h"

#include <algorithm>

#include "common/model/words.h"

namespace fleetmark::coordinator::report {

namespace {

using domain::StepState;

constexpr model::Words<RowStatus, 9> kStatuses{{{
    {RowStatus::kComplete, "complete"},
    {RowStatus::kContended, "contended"},
    {RowStatus::kIncomplete, "incomplete"},
    {RowStatus::kUnavailable, "unavailable"},
    {RowStatus::kFailed, "failed"},
    {RowStatus::kLost, "lost"},
    {RowStatus::kCancelled, "cancelled"},
    {RowStatus::kRunning, "running"},
    {RowStatus::kWaiting, "waiting"},
}}};

// What the state alone says; nullopt: the samples decide.
std::optional<RowStatus> fromState(StepState state) {
  switch (state) {
    case StepState::kBlocked:
    case StepState::kReady:
      return RowStatus::kWaiting;
    case StepState::kLeased:
      return RowStatus::kRunning;
    case StepState::kLost:
      return RowStatus::kLost;
    case StepState::kCancelled:
      return RowStatus::kCancelled;
    case StepState::kMeasured:
    case StepState::kFailed:
      return std::nullopt;
  }
  FM_CHECK(false && "unknown step state");
  return std::nullopt;
}

bool nothingThere(const SampleCounts& counts) {
  return counts.attempted > 0 && counts.unavailable == counts.attempted;
}

}  // namespace

std::string_view toString(RowStatus status) { return kStatuses.word(status); }

const std::vector<RowStatus>& allRowStatuses() {
  static const std::vector<RowStatus> all = kStatuses.all();
  return all;
}

RowStatus metricStatus(StepState state, const SampleCounts& counts) {
  if (auto known = fromState(state)) return *known;
  if (nothingThere(counts)) return RowStatus::kUnavailable;
  bool enough = counts.requested ? counts.completed >= *counts.requested
                                 : counts.attempted > 0 && counts.completed == counts.attempted;
  if (enough && (state == StepState::kMeasured || counts.completed > 0)) {
    return RowStatus::kComplete;
  }
  if (state == StepState::kFailed) return RowStatus::kFailed;
  bool allTaken = counts.attempted >= counts.requested.value_or(0);
  bool onlyContention = counts.completed + counts.contended == counts.attempted;
  if (counts.contended > 0 && allTaken && onlyContention) return RowStatus::kContended;
  return RowStatus::kIncomplete;
}

RowStatus stepStatus(StepState state, const std::vector<RowStatus>& metrics) {
  if (auto known = fromState(state)) return *known;
  auto all = [&](RowStatus status) {
    return !metrics.empty() &&
           std::all_of(metrics.begin(), metrics.end(), [&](RowStatus s) { return s == status; });
  };
  if (all(RowStatus::kUnavailable)) return RowStatus::kUnavailable;
  if (state == StepState::kFailed) return RowStatus::kFailed;
  if (all(RowStatus::kComplete)) return RowStatus::kComplete;
  bool benign = std::all_of(metrics.begin(), metrics.end(), [](RowStatus s) {
    return s == RowStatus::kComplete || s == RowStatus::kContended;
  });
  return benign && !metrics.empty() ? RowStatus::kContended : RowStatus::kIncomplete;
}

}  // namespace fleetmark::coordinator::report
