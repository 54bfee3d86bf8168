// What chunks and completions are judged by.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/model/work.h"
#include "coordinator/domain/completion.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// Refers to the snapshot.
domain::StoredAttempt storedAttempt(const ports::StepSnapshot& snapshot,
                                    const ports::Registration& who, const model::LeaseRef& lease);

// kInvalid: a sample of a metric that the probe does not have; kUnsupported: no such probe.
base::Status checkChunk(const std::string& probe, const model::SampleChunk& chunk);

}  // namespace fleetmark::coordinator::service
