// What ingest, reaper and cancel share: a step's attempt ends, and with the last one the campaign.
#pragma once

#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "coordinator/domain/step.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

struct EndingStep {
  const ports::StepSnapshot* snapshot = nullptr;  // locked
  domain::StepEventKind event;
  ports::StepEnd end;  // step, epoch, newState and retryDelay are filled in
};

// Applies the events to the steps, which are different ones, and stores what follows.
base::Status endSteps(ports::UnitOfWork& unit, std::vector<EndingStep> steps);
base::Status endStep(ports::UnitOfWork& unit, const ports::StepSnapshot& snapshot,
                     domain::StepEventKind event, ports::StepEnd end);

// Ends the campaign when all its jobs have ended. Runs in a transaction of its own after the one
// that ended the step: of two last steps that end at the same time, the later one sees both.
// Idempotent.
base::Status finishCampaign(ports::Database& database, base::CampaignId campaign);

}  // namespace fleetmark::coordinator::service
