// How the command prints: tables for people, JSON for scripts.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/model/campaign.h"
#include "coordinator/ports/operator_port.h"

namespace fleetmark::coordinator::cli {

// Left-aligned columns two blanks apart, a header line and no trailing blanks. Control characters
// (C0, DEL and C1) in cells are shown as '?'.
std::string textTable(const std::vector<std::string>& header,
                      const std::vector<std::vector<std::string>>& rows);

// "1 runner", "2 runners".
std::string counted(std::size_t count, const std::string& noun);
// A profile's parameters in words: "samples 3, duration 5s"; placement is in.
std::string paramsInWords(const model::ProbeUse& use);
// The same, short: only samples, duration and file, "3 samples x 5s", "128 MiB, 3 samples".
std::string paramsAtAGlance(const model::ProbeUse& use);

std::string planText(const model::Plan& plan);
std::string planJson(const model::Plan& plan);
std::string statusJson(const ports::CampaignStatus& status);
// "running", "running, paused".
std::string stateText(const ports::CampaignSummary& campaign);
std::string summariesText(const std::vector<ports::CampaignSummary>& campaigns);
std::string summariesJson(const std::vector<ports::CampaignSummary>& campaigns);
std::string agentsText(const std::vector<ports::AgentView>& agents, base::WallTime now);
std::string agentsJson(const std::vector<ports::AgentView>& agents);
std::string agentJson(const ports::AgentView& agent);
std::string whyText(const ports::JobReasons& job);
std::string whyJson(const ports::JobReasons& job);
std::string eventJson(const ports::CampaignEvent& event);
std::string tableText(const ports::Table& table);
std::string tableJson(const ports::Table& table);
std::string tableCsv(const ports::Table& table);
// The last line of `fleetmark run --json`; `campaign` is the id in decimal.
std::string runJson(const std::string& campaign, int exitCode,
                    const std::vector<std::string>& files);
std::string errorJson(const base::Error& error);

}  // namespace fleetmark::coordinator::cli
