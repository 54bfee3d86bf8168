// An operator ends a campaign. What has not begun is cancelled at once; what runs is told at its
// agent's next renewal, and the campaign is cancelled when the last attempt has ended.
#pragma once

#include <string>

#include "common/base/result.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// The campaign's state afterwards: cancelling or cancelled, or done where it had ended before.
// kNotFound: no such campaign. `message`: what its steps say, why they were cancelled.
base::Result<domain::CampaignState> cancelCampaign(
    ports::Database& database, const std::string& campaign,
    const std::string& message = "the campaign was cancelled");

}  // namespace fleetmark::coordinator::service
