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
SELECT j.state, s.state FROM job j JOIN step s ON s.job_id = j.id
WHERE j.id = $1 ORDER BY s.ordinal)sql"};

constexpr Statement kSetJob{"queue_set_job", R"sql(
UPDATE job SET state = $2,
  ended_at = CASE WHEN $2 IN ('done', 'failed', 'cancelled') THEN statement_timestamp() END
WHERE id = $1)sql"};

}  // namespace

void cancelDependants(Session& session, base::StepId step) {
  session.run(kNeedFailed, Params::of(step));
}

void rollUpJob(Session& session, base::JobId job) {
  std::vector<StepState> steps;
  domain::JobState current = domain::JobState::kPending;
  for (const auto& row : session.run(kJobStates, Params::of(job))) {
    RowReader reader(row);
    std::string jobWord = reader.text();
    std::string stepWord = reader.text();
    current = wordOr(domain::parseJobState(jobWord), "job state", jobWord);
    steps.push_back(wordOr(domain::parseStepState(stepWord), "step state", stepWord));
  }
  domain::JobState next = domain::rollUpJob(current, steps);
  if (next != current) session.run(kSetJob, Params::of(job, domain::toString(next)));
}

}  // namespace fleetmark::coordinator::store
