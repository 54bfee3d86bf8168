#include "coordinator/service/reap.h"

#include "coordinator/service/arrive.h"
#include "coordinator/service/cancel.h"
#include "coordinator/service/step_end.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

constexpr std::uint32_t kBatch = 100;

// False: another coordinator was faster, or the lease was renewed or completed in between.
base::Result<bool> expireLease(ports::Database& database, base::StepId step, std::int32_t epoch,
                               base::CampaignId& campaign) {
  return inUnit(
      database, ports::Durability::kSynchronous,
      [&](ports::UnitOfWork& unit) -> base::Result<bool> {
        FM_TRY_ASSIGN(auto snapshot, unit.queue().lock(step, epoch));
        if (snapshot.epoch != epoch || !snapshot.lease || !snapshot.leaseExpired) {
          return false;
        }
        campaign = snapshot.campaign;
        ports::StepEnd end;
        end.outcome = model::Outcome::kInfrastructure;
        end.message = "the agent was not heard of until its lease ran out";
        FM_TRY(endStep(unit, snapshot, domain::StepEventKind::kLeaseExpired, std::move(end)));
        return true;
      });
}

// Jobs and campaigns over their time limits.
base::Status cancelLate(ports::Database& database, Reaped& out) {
  FM_TRY_ASSIGN(auto ofLateJobs,
                inUnit(database, ports::Durability::kSynchronous,
                       [](ports::UnitOfWork& unit) { return unit.queue().cancelLateJobs(); }));
  for (auto campaign : ofLateJobs) {
    FM_TRY(finishCampaign(database, campaign));
    ++out.campaigns;
  }
  FM_TRY_ASSIGN(auto late,
                inUnit(database, ports::Durability::kRelaxed,
                       [](ports::UnitOfWork& unit) { return unit.queue().lateCampaigns(); }));
  for (auto campaign : late) {
    FM_TRY(cancelCampaign(database, std::to_string(campaign.value),
                          "the campaign was over its time limit"));
    ++out.campaigns;
  }
  return {};
}

}  // namespace

base::Result<Reaped> reap(ports::Database& database) {
  Reaped out;
  FM_TRY_ASSIGN(auto expired,
                inUnit(database, ports::Durability::kRelaxed,
                       [](ports::UnitOfWork& unit) { return unit.queue().expired(kBatch); }));
  for (const auto& [step, epoch] : expired) {
    base::CampaignId campaign;
    FM_TRY_ASSIGN(bool done, expireLease(database, step, epoch, campaign));
    if (done) {
      ++out.leases;
      FM_TRY(finishCampaign(database, campaign));
    }
  }
  FM_TRY_ASSIGN(auto lateGroups,
                inUnit(database, ports::Durability::kRelaxed,
                       [](ports::UnitOfWork& unit) { return unit.queue().lateGroups(kBatch); }));
  for (const auto& [step, epoch] : lateGroups) {
    FM_TRY_ASSIGN(bool released, releaseLateGroup(database, step, epoch));
    out.groups += released ? 1u : 0u;
  }
  FM_TRY(cancelLate(database, out));
  FM_TRY_ASSIGN(auto finishable,
                inUnit(database, ports::Durability::kRelaxed,
                       [](ports::UnitOfWork& unit) { return unit.campaigns().finishable(); }));
  for (auto campaign : finishable) {
    FM_TRY(finishCampaign(database, campaign));
    ++out.campaigns;
  }
  return out;
}

}  // namespace fleetmark::coordinator::service
