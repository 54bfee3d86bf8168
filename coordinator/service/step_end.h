// What ingest, reaper and cancel share: a step's attempt ends, and with the last one the campaign.
#pragma once

#include "common/base/ids.h"
#include "common/base/result.h"
#include "coordinator/domain/step.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// Applies the event to the locked step and stores what follows; fills in step, epoch, newState and
// retryDelay of `end`.
base::Status endStep(ports::UnitOfWork& unit, const ports::StepSnapshot& snapshot,
                     domain::StepEventKind event, ports::StepEnd end);

// Ends the campaign when all its jobs have ended. Runs in a transaction of its own after the one
// that ended the step: of two last steps that end at the same time, the later one sees both.
// Idempotent.
base::Status finishCampaign(ports::Database& database, base::CampaignId campaign);

}  // namespace fleetmark::coordinator::service
