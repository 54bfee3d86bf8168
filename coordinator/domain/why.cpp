#include "coordinator/domain/why.h"

#include <algorithm>
#include <iterator>

namespace fleetmark::coordinator::domain {

namespace {

using std::chrono::seconds;
using Agents = std::vector<const WhyAgent*>;

constexpr std::size_t kMostNames = 3;

bool holds(const std::vector<std::int64_t>& hosts, std::int64_t host) {
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

std::string inSeconds(base::Nanos span) {
  return base::formatDuration(std::max<base::Nanos>(std::chrono::ceil<seconds>(span), seconds(1)));
}

// "a, b, c and 4 more"; text(agent) names one.
template <typename Fn>
std::string listed(const Agents& agents, const char* separator, Fn text) {
  std::string out;
  for (std::size_t i = 0; i < agents.size() && i < kMostNames; ++i) {
    out += (i == 0 ? "" : separator) + text(*agents[i]);
  }
  if (agents.size() > kMostNames) {
    out += " and " + std::to_string(agents.size() - kMostNames) + " more";
  }
  return out;
}

std::string nameOf(const WhyAgent& agent) { return agent.name; }

std::string braces(const model::Labels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) out += (out.empty() ? "" : ", ") + key + ": " + value;
  return "{" + out + "}";
}

// What an agent would need to match: "lacks region, has os windows".
std::string difference(const WhyAgent& agent, const model::Labels& match, std::size_t& count) {
  std::string out;
  count = 0;
  for (const auto& [key, value] : match) {
    auto has = agent.labels.find(key);
    if (has != agent.labels.end() && has->second == value) continue;
    ++count;
    out += (out.empty() ? "" : ", ") +
           (has == agent.labels.end() ? "lacks " + key : "has " + key + " " + has->second);
  }
  return out;
}

Reason labelsReason(const model::Labels& match, const std::vector<WhyAgent>& all,
                    const Agents& matching) {
  if (!matching.empty()) {
    return {ConstraintKind::kLabels, Met::kYes,
            listed(matching, ", ", nameOf) + (matching.size() == 1 ? " matches " : " match ") +
                braces(match)};
  }
  if (all.empty()) return {ConstraintKind::kLabels, Met::kNo, "no agent is online"};
  std::string nearest;
  std::size_t least = match.size() + 1;
  for (const auto& agent : all) {
    std::size_t count = 0;
    std::string text = difference(agent, match, count);
    if (count >= least) continue;
    least = count;
    nearest = agent.name + " " + text;
  }
  return {ConstraintKind::kLabels, Met::kNo,
          "no agent online matches " + braces(match) + "; nearest: " + nearest};
}

Reason probeReason(const std::string& capability, const Agents& matching, const Agents& able) {
  if (!able.empty()) {
    return {ConstraintKind::kProbe, Met::kYes,
            listed(able, ", ", nameOf) + (able.size() == 1 ? " has " : " have ") + "the probe " +
                capability};
  }
  std::string probe = capability.substr(0, capability.find('/'));
  return {ConstraintKind::kProbe, Met::kNo,
          "no agent online that matches has the probe " + capability + "; " +
              listed(matching, "; ", [&](const WhyAgent& agent) {
                for (const auto& has : agent.probes) {
                  if (has.substr(0, has.find('/')) == probe) return agent.name + " has " + has;
                }
                return agent.name + " has no " + probe;
              })};
}

bool relationHolds(const WhyNeed& need, const WhyAgent& agent) {
  switch (need.relation) {
    case model::HostRelation::kAny:
      return true;
    case model::HostRelation::kSame:
      return need.measuredOn.empty() || holds(need.measuredOn, agent.host);
    case model::HostRelation::kDifferent:
      return !holds(need.measuredOn, agent.host);
    case model::HostRelation::kFresh:
      return !holds(need.triedOn, agent.host) &&
             std::find(need.triedBoots.begin(), need.triedBoots.end(), agent.bootId) ==
                 need.triedBoots.end();
  }
  return true;
}

std::string relationText(const WhyNeed& need) {
  switch (need.relation) {
    case model::HostRelation::kAny:
      return "on any machine";
    case model::HostRelation::kSame:
      return "on the machine that did '" + need.name + "'";
    case model::HostRelation::kDifferent:
      return "on another machine than '" + need.name + "'";
    case model::HostRelation::kFresh:
      return "on a machine that has done nothing of '" + need.name + "'";
  }
  return {};
}

Reason needsReason(const WhyStep& step) {
  std::string open;
  std::string met;
  for (const auto& need : step.needs) {
    bool measured = need.state == StepState::kMeasured;
    std::string& text = measured ? met : open;
    text += (text.empty() ? "'" : ", '") + need.name + "'" +
            (measured ? "" : ", which is " + std::string(toString(need.state)));
  }
  if (!open.empty()) return {ConstraintKind::kNeeds, Met::kNo, "needs " + open};
  return {ConstraintKind::kNeeds, Met::kYes,
          met.empty() ? "needs no other step" : "needs " + met + ", measured"};
}

Reason gapReason(const WhyStep& step, TimePoint now) {
  if (!step.runAfter || *step.runAfter <= now) {
    return {ConstraintKind::kGap, Met::kYes, "no pause is to be waited for"};
  }
  std::string what =
      step.attempts > 0 ? "the pause before another attempt ends in " : "gap ends in ";
  std::string at = base::formatWall(*step.runAfter);  // with its date and milliseconds
  std::string clock = at.size() > 19 ? at.substr(11, 8) + "Z" : at;
  return {ConstraintKind::kGap, Met::kNo,
          what + inSeconds(*step.runAfter - now) + " (" + clock + ")"};
}

Reason campaignReason(const WhyFacts& facts) {
  bool works = facts.state == CampaignState::kQueued || facts.state == CampaignState::kRunning;
  return {ConstraintKind::kEnded, works ? Met::kYes : Met::kNo,
          "campaign " + facts.campaign + " is " + std::string(toString(facts.state))};
}

Reason pausedReason(const WhyFacts& facts) {
  if (!facts.paused) {
    return {ConstraintKind::kPaused, Met::kYes, "campaign " + facts.campaign + " is not paused"};
  }
  return {ConstraintKind::kPaused, Met::kNo,
          "campaign " + facts.campaign + " is paused; fleetmark resume lets it go on"};
}

Reason groupReason(const WhyStep& step) {
  bool open = step.groupState == GroupState::kOpen || step.groupState == GroupState::kGathering;
  return {ConstraintKind::kGroup, open ? Met::kYes : Met::kNo,
          "group '" + step.group + "' is " + std::string(toString(step.groupState)) +
              (open ? "" : "; its members begin together or not at all")};
}

// Keeps the agents that pass. Where none does all stay, so that what else holds them back is told
// as well.
template <typename Fn>
bool keep(Agents& agents, Fn passes) {
  Agents passed;
  std::copy_if(agents.begin(), agents.end(), std::back_inserter(passed),
               [&](const WhyAgent* agent) { return passes(*agent); });
  if (passed.empty()) return false;
  agents = std::move(passed);
  return true;
}

}  // namespace

std::string_view toString(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::kPaused:
      return "paused";
    case ConstraintKind::kEnded:
      return "ended";
    case ConstraintKind::kNeeds:
      return "needs";
    case ConstraintKind::kGap:
      return "gap";
    case ConstraintKind::kLabels:
      return "labels";
    case ConstraintKind::kProbe:
      return "probe";
    case ConstraintKind::kHost:
      return "host";
    case ConstraintKind::kQuarantined:
      return "quarantined";
    case ConstraintKind::kDraining:
      return "draining";
    case ConstraintKind::kMachineBusy:
      return "machine_busy";
    case ConstraintKind::kGroup:
      return "group";
  }
  return "?";
}

Why::Availability Why::availabilityOf(Agents agents) const {
  Availability out;
  if (agents.empty()) return out;
  bool trusted = true;
  auto add = [&out](ConstraintKind kind, bool met, const std::string& text) {
    out.reasons.push_back({kind, met ? Met::kYes : Met::kNo, text});
    return met;
  };
  trusted &= add(ConstraintKind::kQuarantined,
                 keep(agents, [](const WhyAgent& agent) { return !agent.quarantine; }), "");
  out.reasons.back().text = trusted
                                ? "not in quarantine: " + listed(agents, ", ", nameOf)
                                : "quarantined: " + listed(agents, "; ", [](const WhyAgent& agent) {
                                    return agent.name + " because: " + *agent.quarantine;
                                  }) + "; fleetmark release lets it work again";
  bool working = add(ConstraintKind::kDraining,
                     keep(agents, [](const WhyAgent& agent) { return !agent.draining; }), "");
  out.reasons.back().text =
      working ? "not draining: " + listed(agents, ", ", nameOf)
              : "draining: " + listed(agents, ", ", nameOf) + "; fleetmark undrain lets it work";
  auto running = [this](const WhyAgent& agent) { return facts_.running.find(agent.machineKey); };
  bool idle = keep(agents, [&](const WhyAgent& a) { return running(a) == facts_.running.end(); });
  if (idle) {
    add(ConstraintKind::kMachineBusy, true, "idle: " + listed(agents, ", ", nameOf));
    if (trusted && working) out.freeIn = base::Nanos(0);
    return out;
  }
  std::sort(agents.begin(), agents.end(), [&](const WhyAgent* a, const WhyAgent* b) {
    return running(*a)->second.left < running(*b)->second.left;
  });
  add(ConstraintKind::kMachineBusy, false,
      "machine busy: " + listed(agents, "; ", [&](const WhyAgent& agent) {
        const auto& work = running(agent)->second;
        return work.agent + " runs " + work.what + " for about " + inSeconds(work.left) + " more";
      }));
  if (trusted && working) out.freeIn = running(*agents.front())->second.left;
  return out;
}

const Why::Fitting& Why::fitting(const WhyStep& step) {
  auto [place, isNew] = fitting_.try_emplace({step.runner, step.capability});
  auto& out = place->second;
  if (!isNew) return out;
  const auto& match = facts_.runners.at(step.runner);
  Agents matching;
  for (const auto& agent : facts_.agents) {
    if (model::labelsMatch(match, agent.labels)) matching.push_back(&agent);
  }
  out.reasons.push_back(labelsReason(match, facts_.agents, matching));
  if (matching.empty()) return out;
  std::copy_if(matching.begin(), matching.end(), std::back_inserter(out.agents),
               [&](const WhyAgent* agent) {
                 return std::find(agent->probes.begin(), agent->probes.end(), step.capability) !=
                        agent->probes.end();
               });
  out.reasons.push_back(probeReason(step.capability, matching, out.agents));
  out.availability = availabilityOf(out.agents);
  return out;
}

WhyAnswer Why::explain(const WhyStep& step) {
  WhyAnswer out;
  out.reasons = {pausedReason(facts_), campaignReason(facts_), needsReason(step),
                 gapReason(step, facts_.now)};
  const auto& fits = fitting(step);
  out.reasons.insert(out.reasons.end(), fits.reasons.begin(), fits.reasons.end());
  Availability available = fits.availability;
  for (const auto& need : step.needs) {
    if (need.relation == model::HostRelation::kAny || fits.agents.empty()) continue;
    Agents agents = fits.agents;
    bool met = keep(agents, [&](const WhyAgent& agent) {
      return std::all_of(step.needs.begin(), step.needs.end(),
                         [&](const WhyNeed& each) { return relationHolds(each, agent); });
    });
    out.reasons.push_back({ConstraintKind::kHost, met ? Met::kYes : Met::kNo,
                           "must run " + relationText(need) +
                               (met ? ": " + listed(agents, ", ", nameOf)
                                    : "; " + listed(agents, ", ", nameOf) +
                                          (agents.size() == 1 ? " is none" : " are none"))});
    available = availabilityOf(std::move(agents));
  }
  out.reasons.insert(out.reasons.end(), available.reasons.begin(), available.reasons.end());
  if (!step.group.empty()) out.reasons.push_back(groupReason(step));

  bool onlyTime = available.freeIn.has_value();
  for (const auto& reason : out.reasons) {
    bool passes =
        reason.kind == ConstraintKind::kGap || reason.kind == ConstraintKind::kMachineBusy;
    if (reason.met == Met::kNo && !passes) onlyTime = false;
  }
  if (onlyTime) {
    base::Nanos gap = step.runAfter ? *step.runAfter - facts_.now : base::Nanos(0);
    out.estimate = std::max({gap, *available.freeIn, base::Nanos(0)});
  }
  return out;
}

std::string Why::waiting(const WhyStep& step) {
  auto answer = explain(step);
  for (auto& reason : answer.reasons) {
    if (reason.met == Met::kNo) return std::move(reason.text);
  }
  return {};
}

}  // namespace fleetmark::coordinator::domain
