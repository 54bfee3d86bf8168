#include "coordinator/service/arrive.h"

#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

using domain::GroupEventKind;
using domain::GroupState;
using model::ArriveAnswer;

bool holds(const ports::StepSnapshot& snapshot, const ports::Registration& who,
           const model::LeaseRef& lease) {
  return snapshot.lease && !snapshot.leaseExpired && snapshot.epoch == lease.epoch &&
         snapshot.leaseToken == lease.token && snapshot.attemptAgent == who.agent;
}

ArriveAnswer answerOf(GroupState state) {
  switch (state) {
    case GroupState::kRunning:
      return ArriveAnswer::kBegin;
    case GroupState::kGathering:
      return ArriveAnswer::kWait;
    case GroupState::kOpen:
    case GroupState::kReleasing:
    case GroupState::kOver:
      return ArriveAnswer::kReleased;
  }
  return ArriveAnswer::kReleased;
}

base::Result<GroupState> moveGroup(ports::UnitOfWork& unit, const ports::GroupSnapshot& group,
                                   GroupEventKind event) {
  auto move = domain::apply(group.state, event, group.members);
  FM_TRY(unit.queue().moveGroup(group, move));
  return move.next;
}

}  // namespace

base::Result<ArriveAnswer> arrive(ports::Database& database, const ports::Registration& who,
                                  const model::LeaseRef& lease) {
  return inUnit(database, ports::Durability::kSynchronous,
                [&](ports::UnitOfWork& unit) -> base::Result<ArriveAnswer> {
                  auto snapshot = unit.queue().lock(lease.step, lease.epoch);
                  if (!snapshot) {
                    if (snapshot.error().code == base::ErrorCode::kNotFound)
                      return ArriveAnswer::kLost;
                    return snapshot.error();
                  }
                  if (!holds(*snapshot, who, lease)) return ArriveAnswer::kLost;
                  // An operator's wish reaches the agent with its next renewal.
                  if (snapshot->lease == domain::LeaseState::kCancelling)
                    return ArriveAnswer::kWait;
                  FM_TRY_ASSIGN(auto before, unit.queue().group(lease.step));
                  if (!before) return ArriveAnswer::kBegin;
                  if (before->state != GroupState::kGathering) return answerOf(before->state);
                  FM_TRY(unit.queue().arrive(lease.step, lease.epoch));
                  FM_TRY_ASSIGN(auto group, unit.queue().group(lease.step));
                  if (!group) return ArriveAnswer::kBegin;
                  FM_TRY_ASSIGN(auto state,
                                moveGroup(unit, *group, GroupEventKind::kMemberArrived));
                  if (state == GroupState::kGathering && group->timeUp) {
                    FM_TRY_ASSIGN(state, moveGroup(unit, *group, GroupEventKind::kTimeUp));
                  }
                  return answerOf(state);
                });
}

base::Result<bool> releaseLateGroup(ports::Database& database, base::StepId step,
                                    std::int32_t epoch) {
  return inUnit(database, ports::Durability::kSynchronous,
                [&](ports::UnitOfWork& unit) -> base::Result<bool> {
                  FM_TRY(unit.queue().lock(step, epoch));
                  FM_TRY_ASSIGN(auto group, unit.queue().group(step));
                  if (!group || !group->timeUp || group->state != GroupState::kGathering) {
                    return false;
                  }
                  FM_TRY(moveGroup(unit, *group, GroupEventKind::kTimeUp));
                  return true;
                });
}

}  // namespace fleetmark::coordinator::service
