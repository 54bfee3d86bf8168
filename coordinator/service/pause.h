// An operator holds a campaign back and lets it go on. Stored, so it outlives every restart.
#pragma once

#include <string>

#include "common/base/result.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// The campaign's state. Once more is as good as once. kConflict: the campaign has ended or is being
// cancelled. kNotFound: no such campaign.
base::Result<domain::CampaignState> setCampaignPaused(ports::Database& database,
                                                      const std::string& campaign,
                                                      ports::Pausing pausing);

}  // namespace fleetmark::coordinator::service
