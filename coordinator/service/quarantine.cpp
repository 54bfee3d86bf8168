#include "coordinator/service/quarantine.h"

#include "coordinator/domain/quarantine.h"

namespace fleetmark::coordinator::service {

bool changesAgent(const Settings& settings, const model::Completion& completion,
                  const ports::StepSnapshot& snapshot) {
  return domain::afterAttempt(snapshot.agentRecord, completion.outcome, snapshot.attemptAge,
                              settings.quarantineAfter) != snapshot.agentRecord;
}

base::Status judgeAgent(ports::UnitOfWork& unit, const Settings& settings,
                        const model::Completion& completion, ports::StepSnapshot& snapshot) {
  const auto& before = snapshot.agentRecord;
  auto after = domain::afterAttempt(before, completion.outcome, snapshot.attemptAge,
                                    settings.quarantineAfter);
  if (after.trust == before.trust) {
    if (after.fastFailures == before.fastFailures) return {};
    return unit.agents().setFastFailures(snapshot.attemptAgent, after.fastFailures);
  }
  ports::Quarantine quarantine;
  quarantine.agent = snapshot.attemptAgent;
  quarantine.reason = completion.message;
  quarantine.campaign = snapshot.campaign;
  quarantine.step = snapshot.step;
  quarantine.attempt = *snapshot.attempt;
  quarantine.fastFailures = after.fastFailures;
  quarantine.mostAttempts = settings.maxAttempts * domain::kMostAttemptsFactor;
  quarantine.onlineWindow = settings.onlineWindow;
  FM_TRY_ASSIGN(snapshot.maxAttempts, unit.agents().quarantine(quarantine));
  return {};
}

}  // namespace fleetmark::coordinator::service
