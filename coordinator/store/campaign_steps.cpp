// The steps of a campaign as people watch them.
#include "coordinator/store/campaign_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kStepStatuses{"campaign_steps", R"sql(
WITH last AS MATERIALIZED (
  SELECT DISTINCT ON (x.step_id) x.id, x.step_id, x.started_at, x.ended_at, a.name AS agent
  FROM attempt x JOIN step s ON s.id = x.step_id JOIN agent a ON a.id = x.agent_id
  WHERE s.campaign_id = $1
  ORDER BY x.step_id, x.epoch DESC),
counts AS MATERIALIZED (
  SELECT last.id, sum(q.n) AS seen, sum(q.ok_count) AS ok
  FROM last JOIN sample_series q ON q.attempt_id = last.id GROUP BY last.id)
SELECT s.id, s.job_id, r.name, p.probe, p.fingerprint, j.trial, s.name, s.state,
       coalesce(last.agent, ''), s.attempts, coalesce(counts.ok, 0), coalesce(counts.seen, 0),
       coalesce((SELECT sum(q.requested) FROM result q WHERE q.attempt_id = last.id),
                j.requested_samples * greatest(1, (SELECT count(*) FROM metric m
                  WHERE m.probe = p.probe AND m.protocol = p.protocol))),
       s.message, head.metric, head.median, head.cv,
       unix_ns(last.started_at), unix_ns(coalesce(s.ended_at, last.ended_at)),
       s.estimate_ns
FROM step s
  JOIN job j ON j.id = s.job_id
  JOIN runner r ON r.id = s.runner_id
  JOIN profile p ON p.id = j.profile_id
  LEFT JOIN last ON last.step_id = s.id
  LEFT JOIN counts ON counts.id = last.id
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
