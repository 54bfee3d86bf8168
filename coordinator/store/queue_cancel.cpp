// Work that is not wanted any more: of a campaign, or of jobs over their time limit.
#include <set>

#include "coordinator/store/queue_effects.h"
#include "coordinator/store/queue_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kLockJobs{"queue_lock_jobs", R"sql(
SELECT id FROM job WHERE campaign_id = $1 AND state IN ('pending', 'running')
ORDER BY id FOR NO KEY UPDATE)sql"};

// Waits for claims and ends that are under way, so that the statement after it sees what they did.
constexpr Statement kLockSteps{"queue_lock_steps", R"sql(
SELECT id FROM step WHERE campaign_id = $1 AND state IN ('blocked', 'ready', 'leased')
ORDER BY id FOR NO KEY UPDATE)sql"};

constexpr Statement kCancelSteps{"queue_cancel_steps", R"sql(
WITH ended AS (
  UPDATE step SET state = 'cancelled', ended_at = statement_timestamp(),
    message = $2
  WHERE campaign_id = $1 AND state IN ('blocked', 'ready')
  RETURNING id, message)
INSERT INTO event (campaign_id, step_id, kind, data)
SELECT $1, id, 'step.ended', jsonb_build_object('state', 'cancelled', 'message', message)
FROM ended)sql"};

// As domain::rollUpJob, for all jobs at once.
constexpr Statement kCancelJobs{"queue_cancel_jobs", R"sql(
UPDATE job j SET ended_at = statement_timestamp(),
  state = CASE WHEN x.failed THEN 'failed' WHEN x.cancelled THEN 'cancelled' ELSE 'done' END
FROM (SELECT job_id, bool_or(state IN ('blocked', 'ready', 'leased')) AS open,
             bool_or(state IN ('failed', 'lost')) AS failed,
             bool_or(state = 'cancelled') AS cancelled
      FROM step WHERE campaign_id = $1 GROUP BY job_id) x
WHERE j.id = x.job_id AND NOT x.open AND j.state IN ('pending', 'running'))sql"};

constexpr Statement kCancelLeases{"queue_cancel_leases", R"sql(
UPDATE lease l SET state = 'cancelling' FROM step s
WHERE s.id = l.step_id AND s.campaign_id = $1 RETURNING l.step_id)sql"};

constexpr Statement kLateCampaigns{"queue_late_campaigns", R"sql(
SELECT id FROM campaign
WHERE state = 'running' AND time_limit_ns > 0
  AND started_at + interval_of_ns(time_limit_ns) <= statement_timestamp()
ORDER BY id)sql"};

// Not waiting for jobs that somebody holds: they are looked at again soon.
constexpr Statement kLateJobs{"queue_late_jobs", R"sql(
SELECT j.id FROM job j
WHERE j.state = 'running' AND j.time_limit_ns > 0
  AND j.started_at + interval_of_ns(j.time_limit_ns) <= statement_timestamp()
  AND EXISTS (SELECT FROM step s LEFT JOIN lease l ON l.step_id = s.id
              WHERE s.job_id = j.id AND (s.state IN ('blocked', 'ready') OR l.state = 'active'))
ORDER BY j.id
FOR NO KEY UPDATE OF j SKIP LOCKED)sql"};

constexpr Statement kCancelLateJob{"queue_cancel_late_job", R"sql(
WITH ended AS (
  UPDATE step s SET state = 'cancelled', ended_at = statement_timestamp(),
    message = 'the job was over its time limit of ' ||
              round(j.time_limit_ns / 1e9, 3)::float8 || ' s'
  FROM job j
  WHERE j.id = $1 AND s.job_id = j.id AND s.state IN ('blocked', 'ready')
  RETURNING s.campaign_id, s.id, s.message),
told AS (
  INSERT INTO event (campaign_id, step_id, kind, data)
  SELECT campaign_id, id, 'step.ended',
         jsonb_build_object('state', 'cancelled', 'message', message)
  FROM ended)
SELECT DISTINCT campaign_id FROM ended)sql"};

constexpr Statement kCancelLeasesOfLateJob{"queue_cancel_leases_of_late_job", R"sql(
WITH told AS (
  UPDATE lease l SET state = 'cancelling' FROM step s JOIN job j ON j.id = s.job_id
  WHERE s.id = l.step_id AND s.job_id = $1 AND l.state = 'active'
  RETURNING s.campaign_id, s.id, l.epoch, 'the job was over its time limit of ' ||
            round(j.time_limit_ns / 1e9, 3)::float8 || ' s' AS message),
noted AS (
  INSERT INTO notice (attempt_id, stage, message)
  SELECT a.id, 'limit', told.message FROM told
  JOIN attempt a ON a.step_id = told.id AND a.epoch = told.epoch)
INSERT INTO event (campaign_id, step_id, kind, data)
SELECT campaign_id, id, 'step.cancelling', jsonb_build_object('message', message)
FROM told)sql"};

}  // namespace

base::Result<std::uint32_t> PostgresQueueStore::cancelCampaign(base::CampaignId id,
                                                               const std::string& message) {
  return session_.guard([&]() -> base::Result<std::uint32_t> {
    session_.run(kLockJobs, Params::of(id));
    session_.run(kLockSteps, Params::of(id));
    session_.run(kCancelSteps, Params::of(id, message));
    session_.run(kCancelJobs, Params::of(id));
    return static_cast<std::uint32_t>(session_.run(kCancelLeases, Params::of(id)).size());
  });
}

base::Result<std::vector<base::CampaignId>> PostgresQueueStore::lateCampaigns() {
  return session_.guard([&]() -> base::Result<std::vector<base::CampaignId>> {
    std::vector<base::CampaignId> out;
    for (const auto& row : session_.run(kLateCampaigns, Params())) {
      out.push_back(RowReader(row).id<base::CampaignTag>());
    }
    return out;
  });
}

base::Result<std::vector<base::CampaignId>> PostgresQueueStore::cancelLateJobs() {
  return session_.guard([&]() -> base::Result<std::vector<base::CampaignId>> {
    std::set<base::CampaignId> campaigns;
    for (const auto& row : session_.run(kLateJobs, Params())) {
      auto job = RowReader(row).id<base::JobTag>();
      for (const auto& ended : session_.run(kCancelLateJob, Params::of(job))) {
        campaigns.insert(RowReader(ended).id<base::CampaignTag>());
      }
      session_.run(kCancelLeasesOfLateJob, Params::of(job));
      rollUpJobs(session_, std::vector{job});
    }
    return std::vector<base::CampaignId>(campaigns.begin(), campaigns.end());
  });
}

}  // namespace fleetmark::coordinator::store
