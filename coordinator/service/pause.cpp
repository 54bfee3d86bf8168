#include "coordinator/service/pause.h"

#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

base::Status maySetPaused(const std::string& campaign, domain::CampaignState state,
                          ports::Pausing pausing) {
  std::string verb = pausing == ports::Pausing::kPause ? "paused" : "resumed";
  switch (state) {
    case domain::CampaignState::kQueued:
    case domain::CampaignState::kRunning:
      return {};
    case domain::CampaignState::kCancelling:
      return base::conflict("campaign '" + campaign + "' is being cancelled and can't be " + verb +
                            " any more");
    case domain::CampaignState::kDone:
    case domain::CampaignState::kCancelled:
      return base::conflict("campaign '" + campaign + "' has ended (" +
                            std::string(domain::toString(state)) + ") and can't be " + verb);
  }
  return {};
}

}  // namespace

base::Result<domain::CampaignState> setCampaignPaused(ports::Database& database,
                                                      const std::string& campaign,
                                                      ports::Pausing pausing) {
  return inUnit(database, ports::Durability::kSynchronous,
                [&](ports::UnitOfWork& unit) -> base::Result<domain::CampaignState> {
                  FM_TRY_ASSIGN(auto id, unit.campaigns().resolve(campaign));
                  FM_TRY_ASSIGN(auto state, unit.campaigns().lockState(id));
                  FM_TRY(maySetPaused(campaign, state, pausing));
                  FM_TRY(unit.campaigns().setPaused(id, pausing));
                  return state;
                });
}

}  // namespace fleetmark::coordinator::service
