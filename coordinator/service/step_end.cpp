#include "coordinator/service/step_end.h"

#include "coordinator/domain/campaign.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

base::Status endStep(ports::UnitOfWork& unit, const ports::StepSnapshot& snapshot,
                     domain::StepEventKind event, ports::StepEnd end) {
  domain::Step step;
  step.state = snapshot.state;
  step.epoch = snapshot.epoch;
  step.attempts = snapshot.attempts;
  step.maxAttempts = snapshot.maxAttempts;
  step.wish = snapshot.lease == domain::LeaseState::kCancelling ? domain::CancelWish::kWished
                                                                : domain::CancelWish::kNone;
  // The store adds the pause to the database's clock; here only its length matters.
  constexpr domain::TimePoint kNow{};
  FM_TRY_ASSIGN(auto applied, domain::apply(step, {event, snapshot.epoch, base::Nanos(0)}, kNow));
  // The late word of an attempt whose lease had expired: the step waits for its next one already.
  if (applied.next == step && snapshot.attemptEnded) return {};
  end.step = snapshot.step;
  end.epoch = snapshot.epoch;
  end.newState = applied.next.state;
  for (const auto& effect : applied.effects) {
    if (effect.kind == domain::EffectKind::kDueAt) end.retryDelay = effect.at - kNow;
  }
  FM_TRY(unit.queue().end(end));
  if (!snapshot.inGroup) return {};
  FM_TRY_ASSIGN(auto group, unit.queue().group(snapshot.step));
  if (!group) return {};
  return unit.queue().moveGroup(
      *group, domain::apply(group->state, domain::GroupEventKind::kMemberEnded, group->members));
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
