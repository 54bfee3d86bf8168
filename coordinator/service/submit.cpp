#include "coordinator/service/submit.h"

#include <algorithm>
#include <set>

#include "common/base/random.h"
#include "coordinator/domain/planner.h"
#include "coordinator/loader/campaign_loader.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

std::string agentLine(const ports::AgentView& agent) {
  return agent.name + " (" + model::describeLabels(agent.labels) + ")";
}

bool hasProbe(const ports::AgentView& agent, const model::Profile& profile) {
  std::string capability = profile.probe + "/" + std::to_string(profile.protocol);
  return std::find(agent.probes.begin(), agent.probes.end(), capability) != agent.probes.end();
}

}  // namespace

base::Status everyJobHasAnAgent(const model::Plan& plan,
                                const std::vector<ports::AgentView>& agents) {
  std::vector<const ports::AgentView*> online;
  std::vector<const ports::AgentView*> held;  // online, and given no work
  for (const auto& agent : agents) {
    if (agent.state == "online" || agent.state == "busy") online.push_back(&agent);
    if (agent.state == "draining" || agent.state == "quarantined") held.push_back(&agent);
  }
  std::set<std::pair<std::size_t, std::size_t>> seen;
  std::set<std::size_t> named;  // runners that no agent's labels fit: one line is enough
  std::string faults;
  for (const auto& job : plan.jobs) {
    if (!seen.emplace(job.runner, job.probe).second) continue;
    const auto& runner = plan.spec.runners[job.runner];
    const auto& profile = plan.spec.probes[job.probe].profile;
    bool labelled = false;
    bool able = false;
    for (const auto* agent : online) {
      if (!model::labelsMatch(runner.match, agent->labels)) continue;
      labelled = true;
      able |= hasProbe(*agent, profile);
    }
    if (able || (!labelled && !named.insert(job.runner).second)) continue;
    if (!faults.empty()) faults += "\n";
    faults += "runner '" + runner.name + "' (match: " + model::describeLabels(runner.match) + "): ";
    faults += labelled ? "no agent online that matches can do probe " + profile.probe +
                             " protocol " + std::to_string(profile.protocol)
                       : "no agent online matches";
  }
  if (faults.empty()) return {};
  faults += "\nonline: ";
  if (online.empty()) faults += "no agent at all";
  for (std::size_t i = 0; i < online.size() && i < 5; ++i) {
    faults += (i > 0 ? "; " : "") + agentLine(*online[i]);
  }
  if (online.size() > 5) faults += "; and " + std::to_string(online.size() - 5) + " more";
  for (std::size_t i = 0; i < held.size() && i < 5; ++i) {
    faults += (i > 0 ? "; " : "\ngiven no work: ") + agentLine(*held[i]) + ": " + held[i]->reason;
  }
  faults += "\nstart such an agent, correct 'match', or submit with --wait";
  return base::invalid(faults);
}

base::Result<base::CampaignId> submit(ports::Database& database, const Settings& settings,
                                      const SubmitRequest& request) {
  FM_TRY_ASSIGN(auto spec, loader::loadCampaign(request.yaml, request.fileName, request.variables,
                                                base::secureRandomSeed() >> 1));
  ports::NewCampaign campaign;
  FM_TRY_ASSIGN(campaign.plan, domain::makePlan(std::move(spec)));
  campaign.yaml = loader::textWithVariables(request.yaml, request.variables);
  campaign.requestKey = request.requestKey;
  campaign.submittedBy = request.submittedBy;
  campaign.maxAttempts = settings.maxAttempts;
  return inUnit(database, ports::Durability::kSynchronous,
                [&](ports::UnitOfWork& unit) -> base::Result<base::CampaignId> {
                  if (request.unmatched == Unmatched::kRefuse) {
                    FM_TRY_ASSIGN(auto agents, unit.agents().list(settings.onlineWindow));
                    FM_TRY(everyJobHasAnAgent(campaign.plan, agents));
                  }
                  return unit.campaigns().insert(campaign);
                });
}

}  // namespace fleetmark::coordinator::service
