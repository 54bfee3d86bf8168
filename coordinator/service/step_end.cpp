#include "coordinator/service/step_end.h"

#include <utility>

#include "coordinator/domain/campaign.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

// False: there is nothing to store.
base::Result<bool> applyEnd(EndingStep& ending) {
  const ports::StepSnapshot& snapshot = *ending.snapshot;
  domain::Step step;
  step.state = snapshot.state;
  step.epoch = snapshot.epoch;
  step.attempts = snapshot.attempts;
  step.maxAttempts = snapshot.maxAttempts;
  step.wish = snapshot.lease == domain::LeaseState::kCancelling ? domain::CancelWish::kWished
                                                                : domain::CancelWish::kNone;
  // The store adds the pause to the database's clock; here only its length matters.
  constexpr domain::TimePoint kNow{};
  FM_TRY_ASSIGN(auto applied,
                domain::apply(step, {ending.event, snapshot.epoch, base::Nanos(0)}, kNow));
  // The late word of an attempt whose lease had expired: the step waits for its next one already.
  if (applied.next == step && snapshot.attemptEnded) return false;
  ending.end.step = snapshot.step;
  ending.end.epoch = snapshot.epoch;
  ending.end.newState = applied.next.state;
  for (const auto& effect : applied.effects) {
    if (effect.kind == domain::EffectKind::kDueAt) ending.end.retryDelay = effect.at - kNow;
  }
  return true;
}

base::Status moveGroupOf(ports::UnitOfWork& unit, base::StepId step) {
  FM_TRY_ASSIGN(auto group, unit.queue().group(step));
  if (!group) return {};
  return unit.queue().moveGroup(
      *group, domain::apply(group->state, domain::GroupEventKind::kMemberEnded, group->members));
}

}  // namespace

base::Status endSteps(ports::UnitOfWork& unit, std::vector<EndingStep> steps) {
  std::vector<ports::StepEnd> ends;
  std::vector<base::StepId> inGroups;
  for (auto& each : steps) {
    FM_TRY_ASSIGN(bool moved, applyEnd(each));
    if (!moved) continue;
    if (each.snapshot->inGroup) inGroups.push_back(each.end.step);
    ends.push_back(std::move(each.end));
  }
  FM_TRY(unit.queue().endEach(ends));
  for (auto step : inGroups) {
    FM_TRY(moveGroupOf(unit, step));
  }
  return {};
}

base::Status endStep(ports::UnitOfWork& unit, const ports::StepSnapshot& snapshot,
                     domain::StepEventKind event, ports::StepEnd end) {
  std::vector<EndingStep> one;
  one.push_back({&snapshot, event, std::move(end)});
  return endSteps(unit, std::move(one));
}

base::Status finishCampaign(ports::Database& database, base::CampaignId campaign) {
  return inUnit(database, ports::Durability::kSynchronous,
                [campaign](ports::UnitOfWork& unit) -> base::Status {
                  FM_TRY_ASSIGN(bool allEnded, unit.queue().allJobsEnded(campaign));
                  if (!allEnded) return {};
                  FM_TRY_ASSIGN(auto state, unit.campaigns().lockState(campaign));
                  if (domain::isTerminal(state)) return {};
                  FM_TRY_ASSIGN(auto applied, domain::apply(domain::Campaign{state},
                                                            domain::CampaignEventKind::kAllEnded,
                                                            domain::TimePoint{}));
                  return unit.campaigns().setState(campaign, applied.next.state);
                });
}

}  // namespace fleetmark::coordinator::service
