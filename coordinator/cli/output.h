// How the command prints: tables for people, JSON for scripts.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/model/campaign.h"
#include "coordinator/ports/operator_port.h"

namespace fleetmark::coordinator::cli {

// Left-aligned columns two blanks apart, a header line and no trailing blanks. Control characters
// in cells are shown as '?'.
std::string textTable(const std::vector<std::string>& header,
                      const std::vector<std::vector<std::string>>& rows);

std::string planText(const model::Plan& plan);
std::string planJson(const model::Plan& plan);
std::string statusJson(const ports::CampaignStatus& status);
std::string summariesText(const std::vector<ports::CampaignSummary>& campaigns);
std::string summariesJson(const std::vector<ports::CampaignSummary>& campaigns);
std::string agentsText(const std::vector<ports::AgentView>& agents, base::WallTime now);
std::string agentsJson(const std::vector<ports::AgentView>& agents);
std::string eventJson(const ports::CampaignEvent& event);
std::string tableText(const ports::Table& table);
std::string tableJson(const ports::Table& table);
std::string tableCsv(const ports::Table& table);
std::string errorJson(const base::Error& error);

}  // namespace fleetmark::coordinator::cli
