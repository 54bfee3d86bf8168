// The steps of a campaign as people watch them.
#include "coordinator/store/campaign_store.h"

namespace fleetmark::coordinator::store {

namespace {

// An agent counts as online for `waiting` when it was heard of in the last minute.
constexpr Statement kStepStatuses{"campaign_steps", R"sql(
WITH last AS MATERIALIZED (
  SELECT DISTINCT ON (x.step_id) x.id, x.step_id, x.started_at, x.ended_at, a.name AS agent
  FROM attempt x JOIN step s ON s.id = x.step_id JOIN agent a ON a.id = x.agent_id
  WHERE s.campaign_id = $1
  ORDER BY x.step_id, x.epoch DESC),
counts AS MATERIALIZED (
  SELECT last.id, sum(q.n) AS seen, sum(q.ok_count) AS ok
  FROM last JOIN sample_series q ON q.attempt_id = last.id GROUP BY last.id),
kinds AS MATERIALIZED (
  SELECT DISTINCT s.runner_id, s.capability FROM step s
  WHERE s.campaign_id = $1 AND s.state = 'ready'),
chances AS MATERIALIZED (
  SELECT k.runner_id, k.capability, count(a.id) AS known,
         count(*) FILTER (WHERE h.disconnected_at IS NULL AND h.seen_at > now() - interval '60 s')
           AS online,
         bool_and(EXISTS (SELECT FROM lease l WHERE l.machine_key = a.machine_key))
           FILTER (WHERE h.disconnected_at IS NULL AND h.seen_at > now() - interval '60 s')
           AS all_busy
  FROM kinds k JOIN runner r ON r.id = k.runner_id
    LEFT JOIN agent a ON a.labels @> r.match AND k.capability = ANY (a.capabilities)
    LEFT JOIN agent_heartbeat h ON h.agent_id = a.id
  GROUP BY k.runner_id, k.capability)
SELECT s.id, s.job_id, r.name, p.probe, p.fingerprint, j.trial, s.name, s.state,
       coalesce(last.agent, ''), s.attempts, coalesce(counts.ok, 0), coalesce(counts.seen, 0),
       coalesce((SELECT sum(q.requested) FROM result q WHERE q.attempt_id = last.id),
                j.requested_samples * greatest(1, (SELECT count(*) FROM metric m
                  WHERE m.probe = p.probe AND m.protocol = p.protocol))),
       s.message, head.metric, head.median, head.cv,
       unix_ns(last.started_at), unix_ns(coalesce(s.ended_at, last.ended_at)),
       CASE WHEN s.state <> 'ready' THEN ''
            WHEN s.run_after > now() THEN 'not before ' || to_char(s.run_after AT TIME ZONE 'UTC',
                                                                   'HH24:MI:SS') || ' UTC'
            WHEN chances.known = 0 THEN 'no agent has the labels of ' || r.name
                                        || ' and the probe ' || s.capability
            WHEN chances.online = 0 THEN 'no agent that fits is online'
            WHEN chances.all_busy THEN 'every machine that fits is busy'
            ELSE '' END,
       s.estimate_ns
FROM step s
  JOIN job j ON j.id = s.job_id
  JOIN runner r ON r.id = s.runner_id
  JOIN profile p ON p.id = j.profile_id
  LEFT JOIN last ON last.step_id = s.id
  LEFT JOIN counts ON counts.id = last.id
  LEFT JOIN chances ON chances.runner_id = s.runner_id AND chances.capability = s.capability
  LEFT JOIN LATERAL (SELECT q.metric, q.median, q.cv FROM result q
                     WHERE q.attempt_id = last.id AND q.headline AND q.n > 0
                     ORDER BY q.ordinal LIMIT 1) head ON true
WHERE s.campaign_id = $1
ORDER BY s.position, s.ordinal)sql"};

ports::StepStatus readStep(const pqxx::row& row) {
  RowReader reader(row);
  ports::StepStatus out;
  out.step = reader.id<base::StepTag>();
  out.job = reader.id<base::JobTag>();
  out.runner = reader.text();
  out.probe = reader.text();
  out.fingerprint = reader.text();
  out.trial = reader.count();
  out.stepName = reader.text();
  std::string state = reader.text();
  out.state = wordOr(domain::parseStepState(state), "step state", state);
  out.agent = reader.text();
  out.attempts = reader.count();
  out.samplesOk = reader.count();
  out.samplesSeen = reader.count();
  out.samplesRequested = reader.count();
  out.message = reader.text();
  out.headlineMetric = reader.text();
  out.headlineValue = reader.maybeNumber();
  out.headlineCv = reader.maybeNumber();
  out.startedAt = reader.maybeTime();
  out.endedAt = reader.maybeTime();
  out.waiting = reader.text();
  out.estimate = reader.nanos();
  return out;
}

}  // namespace

base::Result<std::vector<ports::StepStatus>> PostgresCampaignStore::steps(base::CampaignId id) {
  return session_.guard([&]() -> base::Result<std::vector<ports::StepStatus>> {
    std::vector<ports::StepStatus> out;
    for (const auto& row : session_.run(kStepStatuses, Params::of(id)))
      out.push_back(readStep(row));
    return out;
  });
}

}  // namespace fleetmark::coordinator::store
