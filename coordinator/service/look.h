// What people look at: lists, states, events, reports, SQL.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "coordinator/ports/operator_port.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::service {

base::Result<std::vector<ports::CampaignSummary>> listCampaigns(ports::Database& database,
                                                                std::uint32_t limit);
// With a reason to wait for each step that has not begun and can't now, see domain/why.h.
base::Result<ports::CampaignStatus> campaignStatus(ports::Database& database,
                                                   const Settings& settings,
                                                   const std::string& campaign);
base::Result<std::vector<ports::CampaignEvent>> campaignEvents(ports::Database& database,
                                                               base::CampaignId campaign,
                                                               const std::string& cursor);
base::Result<ports::ReportData> reportData(ports::Database& database, const std::string& campaign);

// A read-only statement; at most 10,000 rows, and `truncated` says when there were more.
base::Result<ports::Table> sql(ports::Database& database, const std::string& statement,
                               std::uint32_t maxRows);

}  // namespace fleetmark::coordinator::service
