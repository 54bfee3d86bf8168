// What domain/why.h needs to say why steps don't run.
#include "coordinator/store/campaign_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kWhyCampaign{"why_campaign", R"sql(
SELECT name, state, paused, unix_ns(statement_timestamp()) FROM campaign WHERE id = $1)sql"};

constexpr Statement kWhyRunners{"why_runners",
                                "SELECT id, match FROM runner WHERE campaign_id = $1 ORDER BY id"};

constexpr Statement kWhyAgents{"why_agents", R"sql(
SELECT a.name, a.labels, a.capabilities, a.host_id, coalesce(a.boot_id, ''), a.machine_key,
       a.draining, CASE WHEN a.quarantined_at IS NOT NULL THEN a.quarantine_reason END
FROM agent a JOIN agent_heartbeat h ON h.agent_id = a.id
WHERE h.disconnected_at IS NULL AND h.seen_at >= statement_timestamp() - interval_of_ns($1)
ORDER BY a.name, a.id)sql"};

constexpr Statement kWhyRunning{"why_running", R"sql(
SELECT l.machine_key, a.name, c.name || ' / ' || p.probe,
       s.estimate_ns - (unix_ns(statement_timestamp()) - unix_ns(x.started_at))
FROM lease l
  JOIN attempt x ON x.id = l.attempt_id
  JOIN agent a ON a.id = l.agent_id
  JOIN step s ON s.id = l.step_id
  JOIN job j ON j.id = s.job_id
  JOIN campaign c ON c.id = s.campaign_id
  JOIN profile p ON p.id = j.profile_id)sql"};

constexpr Statement kWhySteps{"why_steps", R"sql(
SELECT s.id, s.job_id, s.name, s.state, s.attempts,
       CASE WHEN s.run_after > '-infinity' THEN unix_ns(s.run_after) END, s.runner_id, s.capability,
       coalesce(g.name, ''), coalesce(g.state, 'open')
FROM step s LEFT JOIN step_group g ON g.id = s.group_id
WHERE s.campaign_id = $1 AND s.state IN ('blocked', 'ready')
  AND ($2::bigint IS NULL OR s.job_id = $2)
ORDER BY s.position, s.ordinal)sql"};

constexpr Statement kWhyNeeds{"why_needs", R"sql(
SELECT s.id, n.name, n.state, d.delay_ns, d.host_relation,
       coalesce(array_agg(x.host_id::text) FILTER (WHERE x.outcome = 'measured'), '{}'),
       coalesce(array_agg(x.host_id::text) FILTER (WHERE x.id IS NOT NULL), '{}'),
       coalesce(array_agg(x.boot_id) FILTER (WHERE x.boot_id IS NOT NULL), '{}')
FROM step s
  JOIN step_dependency d ON d.step_id = s.id
  JOIN step n ON n.id = d.needs
  LEFT JOIN attempt x ON x.step_id = n.id
WHERE s.campaign_id = $1 AND s.state IN ('blocked', 'ready')
  AND ($2::bigint IS NULL OR s.job_id = $2)
GROUP BY s.id, n.id, n.name, n.state, d.delay_ns, d.host_relation
ORDER BY s.id, n.id)sql"};

constexpr Statement kWhyJob{"why_job", R"sql(
SELECT j.id, j.campaign_id, c.name, r.name, p.probe, j.trial, j.state
FROM job j
  JOIN campaign c ON c.id = j.campaign_id
  JOIN runner r ON r.id = j.runner_id
  JOIN profile p ON p.id = j.profile_id
WHERE j.id = CASE WHEN $2 THEN (SELECT job_id FROM step WHERE id = $1) ELSE $1 END)sql"};

constexpr Statement kWhyJobSteps{
    "why_job_steps", "SELECT id, name, state FROM step WHERE job_id = $1 ORDER BY ordinal"};

std::vector<std::int64_t> numbers(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> out;
  for (const auto& text : texts) out.push_back(std::stoll(text));
  return out;
}

void readWhyAgents(Session& session, base::Nanos window, domain::WhyFacts& out) {
  for (const auto& row : session.run(kWhyAgents, Params::of(window))) {
    RowReader reader(row);
    domain::WhyAgent agent;
    agent.name = reader.text();
    agent.labels = parseLabels(reader.text());
    agent.probes = reader.texts();
    agent.host = reader.int64();
    agent.bootId = reader.text();
    agent.machineKey = reader.text();
    agent.draining = reader.flag();
    agent.quarantine = reader.maybeText();
    out.agents.push_back(std::move(agent));
  }
  for (const auto& row : session.run(kWhyRunning)) {
    RowReader reader(row);
    auto& running = out.running[reader.text()];
    running.agent = reader.text();
    running.what = reader.text();
    running.left = reader.nanos();
  }
}

domain::WhyNeed readWhyNeed(RowReader& reader) {
  domain::WhyNeed need;
  need.name = reader.text();
  std::string state = reader.text();
  need.state = wordOr(domain::parseStepState(state), "step state", state);
  need.delay = reader.nanos();
  std::string relation = reader.text();
  need.relation = wordOr(model::parseHostRelation(relation), "host relation", relation);
  need.measuredOn = numbers(reader.texts());
  need.triedOn = numbers(reader.texts());
  need.triedBoots = reader.texts();
  return need;
}

domain::WhyStep readWhyStep(const pqxx::row& row,
                            const std::map<std::int64_t, std::size_t>& runners) {
  RowReader reader(row);
  domain::WhyStep step;
  step.step = reader.id<base::StepTag>();
  step.job = reader.id<base::JobTag>();
  step.name = reader.text();
  std::string state = reader.text();
  step.state = wordOr(domain::parseStepState(state), "step state", state);
  step.attempts = reader.int32();
  step.runAfter = reader.maybeTime();
  step.runner = runners.at(reader.int64());
  step.capability = reader.text();
  step.group = reader.text();
  std::string group = reader.text();
  step.groupState = wordOr(domain::parseGroupState(group), "group state", group);
  return step;
}

}  // namespace

base::Result<domain::WhyFacts> PostgresCampaignStore::whyFacts(base::CampaignId id,
                                                               std::optional<base::JobId> job,
                                                               base::Nanos onlineWindow) {
  return session_.guard([&]() -> base::Result<domain::WhyFacts> {
    domain::WhyFacts out;
    auto campaign = session_.runMaybe(kWhyCampaign, Params::of(id));
    if (!campaign) return noSuchCampaign(id);
    RowReader head(*campaign);
    out.campaign = head.text();
    std::string state = head.text();
    out.state = wordOr(domain::parseCampaignState(state), "campaign state", state);
    out.paused = head.flag();
    out.now = head.time();
    std::map<std::int64_t, std::size_t> runners;
    for (const auto& row : session_.run(kWhyRunners, Params::of(id))) {
      RowReader reader(row);
      runners[reader.int64()] = out.runners.size();
      out.runners.push_back(parseLabels(reader.text()));
    }
    readWhyAgents(session_, onlineWindow, out);
    std::map<std::int64_t, std::size_t> places;
    for (const auto& row : session_.run(kWhySteps, Params::of(id, job))) {
      out.steps.push_back(readWhyStep(row, runners));
      places[out.steps.back().step.value] = out.steps.size() - 1;
    }
    for (const auto& row : session_.run(kWhyNeeds, Params::of(id, job))) {
      RowReader reader(row);
      auto place = places.find(reader.int64());
      // Ready since the statement before.
      if (place == places.end()) continue;
      out.steps[place->second].needs.push_back(readWhyNeed(reader));
    }
    return out;
  });
}

base::Result<ports::JobReasons> PostgresCampaignStore::job(std::int64_t id, ports::JobRef ref) {
  return session_.guard([&]() -> base::Result<ports::JobReasons> {
    bool byStep = ref == ports::JobRef::kStep;
    auto row = session_.runMaybe(kWhyJob, Params::of(id, byStep));
    if (!row) {
      return base::notFound(std::string("there is no ") + (byStep ? "step " : "job ") +
                            std::to_string(id) +
                            "; fleetmark status CAMPAIGN --json shows jobs and steps");
    }
    RowReader reader(*row);
    ports::JobReasons out;
    out.job = reader.id<base::JobTag>();
    out.campaign = reader.id<base::CampaignTag>();
    out.campaignName = reader.text();
    out.runner = reader.text();
    out.probe = reader.text();
    out.trial = reader.count();
    std::string state = reader.text();
    out.state = wordOr(domain::parseJobState(state), "job state", state);
    for (const auto& stepRow : session_.run(kWhyJobSteps, Params::of(out.job))) {
      RowReader steps(stepRow);
      ports::StepReasons step;
      step.step = steps.id<base::StepTag>();
      step.stepName = steps.text();
      std::string word = steps.text();
      step.state = wordOr(domain::parseStepState(word), "step state", word);
      out.steps.push_back(std::move(step));
    }
    return out;
  });
}

}  // namespace fleetmark::coordinator::store
