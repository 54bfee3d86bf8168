// What the end of a step sets off, for the parts of the queue store. All run in the caller's
// transaction with the job locked, and throw what libpqxx throws.
#pragma once

#include <string_view>

#include "common/base/ids.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

// The steps that need this one, directly or not, can't be done any more.
void cancelDependants(Session& session, base::StepId step);

// The job's state follows from its steps.
void rollUpJob(Session& session, base::JobId job);

}  // namespace fleetmark::coordinator::store
