#include "coordinator/domain/completion.h"

namespace fleetmark::coordinator::domain {

namespace {

using model::IngestAnswer;

// For an attempt whose completion was not accepted yet.
IngestAnswer decideOpen(const StoredAttempt& stored) {
  if (stored.epoch < stored.stepEpoch) return IngestAnswer::kFenced;
  switch (stored.step) {
    case StepState::kReady:
    case StepState::kLeased:
      return IngestAnswer::kOk;
    case StepState::kMeasured:
    case StepState::kFailed:
    case StepState::kLost:
    case StepState::kCancelled:
      return IngestAnswer::kFenced;
    case StepState::kBlocked:
      return IngestAnswer::kUnknown;
  }
  return IngestAnswer::kUnknown;
}

bool isUnknown(const StoredAttempt& stored) {
  return stored.known == AttemptKnown::kNo || stored.epoch <= 0 || stored.epoch > stored.stepEpoch;
}

}  // namespace

IngestAnswer decideCompletion(const StoredAttempt& stored, std::string_view bodySha256) {
  if (isUnknown(stored)) return IngestAnswer::kUnknown;
  if (!stored.acceptedSha256.empty()) {
    return stored.acceptedSha256 == bodySha256 ? IngestAnswer::kDuplicate : IngestAnswer::kFenced;
  }
  return decideOpen(stored);
}

IngestAnswer decideChunk(const StoredAttempt& stored) {
  if (isUnknown(stored)) return IngestAnswer::kUnknown;
  if (!stored.acceptedSha256.empty()) return IngestAnswer::kOk;
  return decideOpen(stored);
}

}  // namespace fleetmark::coordinator::domain
