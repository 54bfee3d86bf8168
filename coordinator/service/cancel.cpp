#include "coordinator/service/cancel.h"

#include "coordinator/domain/campaign.h"
#include "coordinator/service/step_end.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

base::Result<domain::CampaignState> cancelCampaign(ports::Database& database,
                                                   const std::string& campaign,
                                                   const std::string& message) {
  base::CampaignId id;
  auto cancelling = inUnit(
      database, ports::Durability::kSynchronous, [&](ports::UnitOfWork& unit) -> base::Status {
        FM_TRY_ASSIGN(id, unit.campaigns().resolve(campaign));
        FM_TRY_ASSIGN(auto state, unit.campaigns().lockState(id));
        if (domain::isTerminal(state)) return {};
        FM_TRY_ASSIGN(auto applied, domain::apply(domain::Campaign{state},
                                                  domain::CampaignEventKind::kCancelRequested,
                                                  domain::TimePoint{}));
        if (applied.next.state != state) {
          FM_TRY(unit.campaigns().setState(id, applied.next.state));
        }
        FM_TRY(unit.queue().cancelCampaign(id, message));
        return {};
      });
  if (!cancelling) return cancelling.error();
  FM_TRY(finishCampaign(database, id));
  return inUnit(database, ports::Durability::kRelaxed,
                [id](ports::UnitOfWork& unit) -> base::Result<domain::CampaignState> {
                  FM_TRY_ASSIGN(auto summary, unit.campaigns().summary(id));
                  return summary.state;
                });
}

}  // namespace fleetmark::coordinator::service
