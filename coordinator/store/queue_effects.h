// What the end of a step sets off, for the parts of the queue store. All run in the caller's
// transaction with the job locked, and throw what libpqxx throws.
#pragma once

#include <span>

#include "common/base/ids.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

// The steps that need this one, directly or not, can't be done any more.
void cancelDependants(Session& session, base::StepId step);

// The jobs' states follow from their steps.
void rollUpJobs(Session& session, std::span<const base::JobId> jobs);

}  // namespace fleetmark::coordinator::store
