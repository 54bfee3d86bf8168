#include "coordinator/store/queue_effects.h"

#include <vector>

#include "coordinator/domain/job.h"
#include "coordinator/store/campaign_store.h"

namespace fleetmark::coordinator::store {

namespace {

using domain::StepState;

constexpr Statement kNeedFailed{"queue_need_failed", R"sql(
WITH RECURSIVE below AS (
  SELECT d.step_id FROM step_dependency d WHERE d.needs = $1
  UNION
  SELECT d.step_id FROM step_dependency d JOIN below ON d.needs = below.step_id),
ended AS (
  UPDATE step s SET state = 'cancelled', ended_at = statement_timestamp(),
    message = 'needs ' || (SELECT name FROM step WHERE id = $1) || ', which was not measured'
  FROM below WHERE s.id = below.step_id AND s.state IN ('blocked', 'ready')
  RETURNING s.id, s.campaign_id, s.message)
INSERT INTO event (campaign_id, step_id, kind, data)
SELECT campaign_id, id, 'step.ended', jsonb_build_object('state', 'cancelled', 'message', message)
FROM ended)sql"};

constexpr Statement kJobStates{"queue_job_states", R"sql(
SELECT j.id, j.state, s.states
FROM job j CROSS JOIN LATERAL (
  SELECT array_agg(state ORDER BY ordinal) AS states FROM step WHERE job_id = j.id) s
WHERE j.id = ANY ($1::bigint[]) ORDER BY j.id)sql"};

constexpr Statement kSetJobs{"queue_set_jobs", R"sql(
UPDATE job SET state = u.state,
  ended_at = CASE WHEN u.state IN ('done', 'failed', 'cancelled') THEN statement_timestamp() END
FROM unnest($1::bigint[], $2::text[]) AS u(id, state)
WHERE job.id = u.id)sql"};

}  // namespace

void cancelDependants(Session& session, base::StepId step) {
  session.run(kNeedFailed, Params::of(step));
}

void rollUpJobs(Session& session, std::span<const base::JobId> jobs) {
  Column wanted, changed, states;
  bool any = false;
  for (auto job : jobs) wanted.number(job.value);
  for (const auto& row : session.run(kJobStates, Params::of(wanted))) {
    RowReader reader(row);
    const std::int64_t id = reader.int64();
    const std::string word = reader.text();
    const auto current = wordOr(domain::parseJobState(word), "job state", word);
    std::vector<StepState> steps;
    for (const auto& each : reader.texts()) {
      steps.push_back(wordOr(domain::parseStepState(each), "step state", each));
    }
    const domain::JobState next = domain::rollUpJob(current, steps);
    if (next == current) continue;
    changed.number(id);
    states.text(domain::toString(next));
    any = true;
  }
  if (any) session.run(kSetJobs, Params::of(changed, states));
}

}  // namespace fleetmark::coordinator::store
