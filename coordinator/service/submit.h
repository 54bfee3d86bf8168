// A campaign comes in: it is read, planned, checked against the agents online, and stored.
#pragma once

#include <map>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/model/campaign.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::service {

// Whether work that no agent online can do is accepted.
enum class Unmatched { kRefuse, kWait };

struct SubmitRequest {
  std::string yaml;
  std::string fileName;  // for messages
  std::map<std::string, std::string> variables;
  Unmatched unmatched = Unmatched::kRefuse;
  std::string requestKey;
  std::string submittedBy;
};

// kInvalid: the campaign is wrong (one line a fault, with file:line:column) or no agent online can
// do a part of it (one line a runner, with what would match).
base::Result<base::CampaignId> submit(ports::Database& database, const Settings& settings,
                                      const SubmitRequest& request);

// Ok when every planned job has at least one agent online that matches; else kInvalid.
base::Status everyJobHasAnAgent(const model::Plan& plan,
                                const std::vector<ports::AgentView>& agents);

}  // namespace fleetmark::coordinator::service
