// What the end of an attempt by an agent's own word says about the agent.
#pragma once

#include "common/base/result.h"
#include "common/model/work.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::service {

// Whether judgeAgent() has something to store.
bool changesAgent(const Settings& settings, const model::Completion& completion,
                  const ports::StepSnapshot& snapshot);

// Belongs into the transaction that ends the attempt, before the step's end: a step that gets
// attempts back has them in `snapshot` afterwards.
base::Status judgeAgent(ports::UnitOfWork& unit, const Settings& settings,
                        const model::Completion& completion, ports::StepSnapshot& snapshot);

}  // namespace fleetmark::coordinator::service
