// A plan becomes rows: one statement a table, whatever the number of steps.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/base/version.h"
#include "common/crypto/digest.h"
#include "common/probes/spec.h"
#include "coordinator/store/campaign_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kCampaign{"campaign_insert", R"sql(
INSERT INTO campaign (name, title, description, yaml, request_key, submitted_by,
                      coordinator_version, dispatch_order, seed, estimate_ns,
                      estimate_one_machine_ns, time_limit_ns, quiet)
VALUES ($1, $2, $3, $4, nullif($5, ''), $6, $7, $8, $9::numeric, $10, $11, $12, $13::jsonb)
ON CONFLICT (request_key) DO NOTHING
RETURNING id)sql"};

constexpr Statement kByRequestKey{"campaign_by_request_key",
                                  "SELECT id FROM campaign WHERE request_key = $1"};

constexpr Statement kRunners{"campaign_runners", R"sql(
INSERT INTO runner (campaign_id, position, name, provider, match, labels)
SELECT $1, u.place - 1, u.name, u.provider, u.match::jsonb, u.labels::jsonb
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])
  WITH ORDINALITY AS u(name, provider, match, labels, place))sql"};

// Ordered, so that two campaigns with the same profiles do not wait for each other in a circle.
constexpr Statement kProfiles{"campaign_profiles", R"sql(
INSERT INTO profile (probe, protocol, canonical, sha256, params)
SELECT DISTINCT ON (u.sha256) u.probe, u.protocol, u.canonical, decode(u.sha256, 'hex'),
       u.params::json
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])
  AS u(probe, protocol, canonical, sha256, params)
ORDER BY u.sha256
ON CONFLICT (sha256) DO NOTHING)sql"};

constexpr Statement kMetrics{"campaign_metrics", R"sql(
INSERT INTO metric (probe, protocol, name, unit, better, headline)
SELECT DISTINCT ON (u.probe, u.protocol, u.name) u.*
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[])
  AS u(probe, protocol, name, unit, better, headline)
ORDER BY u.probe, u.protocol, u.name
ON CONFLICT (probe, protocol, name) DO NOTHING)sql"};

constexpr Statement kJobs{"campaign_jobs", R"sql(
WITH uses AS MATERIALIZED (
  SELECT u.place - 1 AS position, p.id AS profile_id, u.placement::json, u.requested
  FROM unnest($2::text[], $3::text[], $4::bigint[])
    WITH ORDINALITY AS u(sha256, placement, requested, place)
    JOIN profile p ON p.sha256 = decode(u.sha256, 'hex'))
INSERT INTO job (campaign_id, runner_id, profile_id, probe_position, trial, position, placement,
                 requested_samples, time_limit_ns)
SELECT $1, r.id, uses.profile_id, uses.position, j.trial, j.position, uses.placement,
       uses.requested, $9
FROM unnest($5::bigint[], $6::bigint[], $7::int[], $8::int[]) AS j(runner, use, trial, position)
  JOIN runner r ON r.campaign_id = $1 AND r.position = j.runner
  JOIN uses ON uses.position = j.use
ORDER BY j.position)sql"};

constexpr Statement kGroups{"campaign_groups", R"sql(
INSERT INTO step_group (job_id, name, size, limit_ns)
SELECT j.id, u.name, u.size, u.limit_ns
FROM unnest($2::int[], $3::text[], $4::int[], $5::bigint[]) AS u(position, name, size, limit_ns)
  JOIN job j ON j.campaign_id = $1 AND j.position = u.position
ORDER BY j.id, u.name)sql"};

constexpr Statement kSteps{"campaign_steps_insert", R"sql(
INSERT INTO step (campaign_id, job_id, runner_id, capability, position, ordinal, name, state,
                  needs_open, max_attempts, estimate_ns, time_limit_ns, no_progress_limit_ns,
                  host_bound, group_id)
SELECT $1, j.id, j.runner_id, p.capability, j.position, u.ordinal, u.name,
       CASE u.needs WHEN 0 THEN 'ready' ELSE 'blocked' END, u.needs, $2, u.estimate, u.time_limit,
       u.no_progress, u.host_bound,
       (SELECT g.id FROM step_group g WHERE g.job_id = j.id AND g.name = u.group_name)
FROM unnest($3::int[], $4::int[], $5::text[], $6::int[], $7::bigint[], $8::bigint[], $9::bigint[],
            $10::text[], $11::bool[])
  AS u(position, ordinal, name, needs, estimate, time_limit, no_progress, group_name, host_bound)
  JOIN job j ON j.campaign_id = $1 AND j.position = u.position
  JOIN profile p ON p.id = j.profile_id
ORDER BY u.position, u.ordinal)sql"};

constexpr Statement kNeeds{"campaign_needs", R"sql(
INSERT INTO step_dependency (step_id, needs, delay_ns, host_relation)
SELECT s.id, n.id, u.delay, u.relation
FROM unnest($2::int[], $3::int[], $4::int[], $5::bigint[], $6::text[])
  AS u(position, ordinal, needed, delay, relation)
  JOIN job j ON j.campaign_id = $1 AND j.position = u.position
  JOIN step s ON s.job_id = j.id AND s.ordinal = u.ordinal
  JOIN step n ON n.job_id = j.id AND n.ordinal = u.needed)sql"};

std::optional<std::string> quietJson(const model::CampaignSpec& spec) {
  if (!spec.quiet) return std::nullopt;
  return nlohmann::json{{"load_per_cpu", spec.quiet->loadPerCpu},
                        {"wait_ns", spec.quiet->wait.count()},
                        {"otherwise", model::toString(spec.quiet->otherwise)}}
      .dump();
}

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

base::Status checkPlan(const model::Plan& plan) {
  for (const auto& job : plan.jobs) {
    bool known = job.runner < plan.spec.runners.size() && job.probe < plan.spec.probes.size();
    for (const auto& step : job.steps) {
      for (const auto& need : step.needs) known = known && need.step < job.steps.size();
    }
    if (!known || job.steps.empty()) {
      return base::invalid("the plan of campaign '" + plan.spec.name + "' has a job at position " +
                           std::to_string(job.position) +
                           " without steps, or one that names what the campaign lacks");
    }
  }
  return {};
}

void insertRunners(Session& session, base::CampaignId id, const model::CampaignSpec& spec) {
  Texts names, providers, matches, labels;
  for (const auto& runner : spec.runners) {
    names.push_back(runner.name);
    providers.push_back(runner.provider);
    matches.push_back(labelsJson(runner.match));
    labels.push_back(labelsJson(runner.labels));
  }
  session.run(kRunners, Params::of(id, TextArray{names}, TextArray{providers}, TextArray{matches},
                                   TextArray{labels}));
}

// Returns the SHA-256 of each profile, by position in spec.probes.
Texts insertProfiles(Session& session, const model::CampaignSpec& spec) {
  Texts probes, canonical, digests, params;
  Numbers protocols;
  for (const auto& use : spec.probes) {
    probes.push_back(use.profile.probe);
    protocols.push_back(use.profile.protocol);
    canonical.push_back(use.profile.canonicalJson);
    digests.push_back(crypto::sha256Hex(use.profile.canonicalJson));
    params.push_back(use.paramsJson);
  }
  session.run(kProfiles, Params::of(TextArray{probes}, IntArray{protocols}, TextArray{canonical},
                                    TextArray{digests}, TextArray{params}));
  return digests;
}

void insertMetrics(Session& session, const model::CampaignSpec& spec) {
  Texts probes, names, units, directions, headlines;
  Numbers protocols;
  for (const auto& use : spec.probes) {
    const auto* probe = probes::findSpec(use.profile.probe);
    if (probe == nullptr || probe->protocol != use.profile.protocol) continue;
    for (const auto& metric : probe->metrics) {
      probes.push_back(use.profile.probe);
      protocols.push_back(use.profile.protocol);
      names.emplace_back(metric.name);
      units.emplace_back(model::toString(metric.unit));
      directions.emplace_back(model::toString(metric.better));
      headlines.emplace_back(metric.headline ? "t" : "f");
    }
  }
  if (names.empty()) return;
  session.run(kMetrics, Params::of(TextArray{probes}, IntArray{protocols}, TextArray{names},
                                   TextArray{units}, TextArray{directions}, TextArray{headlines}));
}

void insertJobs(Session& session, base::CampaignId id, const model::Plan& plan,
                const Texts& digests) {
  Texts placements;
  Numbers requested;
  for (const auto& use : plan.spec.probes) {
    placements.push_back(use.placementJson);
    requested.push_back(use.requestedSamples);
  }
  Numbers runners, uses, trials, positions;
  for (const auto& job : plan.jobs) {
    runners.push_back(static_cast<std::int64_t>(job.runner));
    uses.push_back(static_cast<std::int64_t>(job.probe));
    trials.push_back(job.trial);
    positions.push_back(job.position);
  }
  session.run(kJobs, Params::of(id, TextArray{digests}, TextArray{placements}, IntArray{requested},
                                IntArray{runners}, IntArray{uses}, IntArray{trials},
                                IntArray{positions}, plan.spec.jobLimit));
}

void insertGroups(Session& session, base::CampaignId id, const model::Plan& plan) {
  Numbers positions, sizes, limits;
  Texts names;
  for (const auto& job : plan.jobs) {
    std::map<std::string, std::pair<std::int64_t, base::Nanos>> groups;  // size, limit
    for (const auto& step : job.steps) {
      if (step.group.empty()) continue;
      auto& [size, limit] = groups[step.group];
      ++size;
      limit = std::max(limit, step.groupLimit);
    }
    for (const auto& [name, group] : groups) {
      positions.push_back(job.position);
      names.push_back(name);
      sizes.push_back(group.first);
      limits.push_back(group.second.count());
    }
  }
  if (positions.empty()) return;
  session.run(kGroups, Params::of(id, IntArray{positions}, TextArray{names}, IntArray{sizes},
                                  IntArray{limits}));
}

void insertSteps(Session& session, base::CampaignId id, const ports::NewCampaign& campaign) {
  Numbers positions, ordinals, needs, estimates, limits, noProgress;
  Texts names, groups, bound;
  for (const auto& job : campaign.plan.jobs) {
    std::int64_t ordinal = 0;
    for (const auto& step : job.steps) {
      groups.push_back(step.group);
      bound.emplace_back(std::any_of(step.needs.begin(), step.needs.end(),
                                     [](const auto& need) {
                                       return need.hostRelation != model::HostRelation::kAny;
                                     })
                             ? "t"
                             : "f");
      positions.push_back(job.position);
      ordinals.push_back(ordinal++);
      names.push_back(step.name);
      needs.push_back(static_cast<std::int64_t>(step.needs.size()));
      estimates.push_back(step.estimate.count());
      limits.push_back(step.timeLimit.count());
      noProgress.push_back(step.noProgressLimit.count());
    }
  }
  session.run(kSteps,
              Params::of(id, campaign.maxAttempts, IntArray{positions}, IntArray{ordinals},
                         TextArray{names}, IntArray{needs}, IntArray{estimates}, IntArray{limits},
                         IntArray{noProgress}, TextArray{groups}, TextArray{bound}));
}

void insertNeeds(Session& session, base::CampaignId id, const model::Plan& plan) {
  Numbers positions, ordinals, needed, delays;
  Texts relations;
  for (const auto& job : plan.jobs) {
    for (std::size_t ordinal = 0; ordinal < job.steps.size(); ++ordinal) {
      for (const auto& need : job.steps[ordinal].needs) {
        positions.push_back(job.position);
        ordinals.push_back(static_cast<std::int64_t>(ordinal));
        needed.push_back(static_cast<std::int64_t>(need.step));
        delays.push_back(need.delay.count());
        relations.emplace_back(model::toString(need.hostRelation));
      }
    }
  }
  if (positions.empty()) return;
  session.run(kNeeds, Params::of(id, IntArray{positions}, IntArray{ordinals}, IntArray{needed},
                                 IntArray{delays}, TextArray{relations}));
}

}  // namespace

base::Result<base::CampaignId> PostgresCampaignStore::insert(const ports::NewCampaign& campaign) {
  const model::Plan& plan = campaign.plan;
  const model::CampaignSpec& spec = plan.spec;
  FM_TRY(checkPlan(plan));
  auto stored = session_.guard([&]() -> base::Result<std::pair<base::CampaignId, bool>> {
    auto made = session_.runMaybe(
        kCampaign,
        Params::of(spec.name, spec.title, spec.description, campaign.yaml, campaign.requestKey,
                   campaign.submittedBy, base::kVersion, model::toString(spec.order), spec.seed,
                   plan.estimate, plan.estimateOneMachine, spec.campaignLimit, quietJson(spec)));
    if (!made) {
      auto row = session_.runOne(kByRequestKey, Params::of(campaign.requestKey));
      return std::pair{RowReader(row).id<base::CampaignTag>(), false};
    }
    auto id = RowReader(*made).id<base::CampaignTag>();
    insertRunners(session_, id, spec);
    Texts digests = insertProfiles(session_, spec);
    insertMetrics(session_, spec);
    insertJobs(session_, id, plan, digests);
    insertGroups(session_, id, plan);
    insertSteps(session_, id, campaign);
    insertNeeds(session_, id, plan);
    return std::pair{id, true};
  });
  if (!stored) return stored.error();
  if (stored->second) {
    FM_TRY(events_.append(stored->first, {}, "campaign.state", R"({"state": "queued"})"));
  }
  return stored->first;
}

}  // namespace fleetmark::coordinator::store
