// How the coordinator answers what an agent sends about an attempt, decided from what is stored.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/model/work.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::domain {

enum class AttemptKnown { kNo, kYes };  // kNo also for a wrong lease token

struct StoredAttempt {
  AttemptKnown known = AttemptKnown::kNo;
  StepState step = StepState::kBlocked;
  std::int32_t stepEpoch = 0;       // the step's, now
  std::int32_t epoch = 0;           // the one the agent names
  std::string_view acceptedSha256;  // of the completion accepted before; empty: none
};

// kOk: accept it now (after looking for missing chunks); kDuplicate: this very completion was
// accepted before; kFenced: a newer claim exists, the step is over, or another completion was
// accepted; kUnknown: no such attempt. Never kMissing.
//
// A completion of an expired lease is accepted while the step is ready at the same epoch, see
// step.h.
model::IngestAnswer decideCompletion(const StoredAttempt& stored, std::string_view bodySha256);

// Whether samples of the attempt may still be stored: kOk, kFenced or kUnknown. After its
// completion was accepted a chunk sent again is compared with the stored one (kOk here).
model::IngestAnswer decideChunk(const StoredAttempt& stored);

}  // namespace fleetmark::coordinator::domain
