#include "coordinator/service/look.h"

#include <algorithm>
#include <unordered_map>

#include "common/base/version.h"
#include "coordinator/domain/why.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

constexpr std::uint32_t kMostRows = 10'000;
constexpr std::uint32_t kMostCampaigns = 1'000;
constexpr std::uint32_t kMostEvents = 500;

void explainWaiting(const domain::WhyFacts& facts, std::vector<ports::StepStatus>& steps) {
  domain::Why why(facts);
  std::unordered_map<base::StepId, const domain::WhyStep*> waiting;
  for (const auto& step : facts.steps) waiting.emplace(step.step, &step);
  for (auto& step : steps) {
    auto found = waiting.find(step.step);
    if (found != waiting.end()) step.waiting = why.waiting(*found->second);
  }
}

}  // namespace

base::Result<std::vector<ports::CampaignSummary>> listCampaigns(ports::Database& database,
                                                                std::uint32_t limit) {
  return inUnit(database, ports::Durability::kRelaxed, [limit](ports::UnitOfWork& unit) {
    return unit.campaigns().list(std::clamp<std::uint32_t>(limit, 1, kMostCampaigns));
  });
}

base::Result<ports::CampaignStatus> campaignStatus(ports::Database& database,
                                                   const Settings& settings,
                                                   const std::string& campaign) {
  return inUnit(database, ports::Durability::kRelaxed,
                [&](ports::UnitOfWork& unit) -> base::Result<ports::CampaignStatus> {
                  ports::CampaignStatus out;
                  FM_TRY_ASSIGN(auto id, unit.campaigns().resolve(campaign));
                  FM_TRY_ASSIGN(out.summary, unit.campaigns().summary(id));
                  FM_TRY_ASSIGN(out.steps, unit.campaigns().steps(id));
                  if (domain::isTerminal(out.summary.state)) return out;
                  FM_TRY_ASSIGN(auto facts,
                                unit.campaigns().whyFacts(id, std::nullopt, settings.onlineWindow));
                  explainWaiting(facts, out.steps);
                  return out;
                });
}

base::Result<std::vector<ports::CampaignEvent>> campaignEvents(ports::Database& database,
                                                               base::CampaignId campaign,
                                                               const std::string& cursor) {
  return inUnit(database, ports::Durability::kRelaxed, [&](ports::UnitOfWork& unit) {
    return unit.events().after(campaign, cursor, kMostEvents);
  });
}

base::Result<ports::ReportData> reportData(ports::Database& database, const std::string& campaign) {
  return inUnit(database, ports::Durability::kRelaxed,
                [&](ports::UnitOfWork& unit) -> base::Result<ports::ReportData> {
                  FM_TRY_ASSIGN(auto id, unit.campaigns().resolve(campaign));
                  FM_TRY_ASSIGN(auto data, unit.samples().report(id));
                  data.coordinatorVersion = base::kVersion;
                  return data;
                });
}

base::Result<ports::Table> sql(ports::Database& database, const std::string& statement,
                               std::uint32_t maxRows) {
  if (statement.empty()) {
    return base::invalid("the statement is empty; try: select * from campaigns");
  }
  return database.query(statement, std::clamp<std::uint32_t>(maxRows, 1, kMostRows));
}

}  // namespace fleetmark::coordinator::service
