// Work comes back: the end of an attempt and what it sets off.
#include <nlohmann/json.hpp>

#include "coordinator/store/campaign_store.h"
#include "coordinator/store/queue_effects.h"
#include "coordinator/store/queue_store.h"

namespace fleetmark::coordinator::store {

namespace {

using domain::StepState;

constexpr Statement kLockJob{"queue_lock_job", R"sql(
SELECT id FROM job WHERE id = (SELECT job_id FROM step WHERE id = $1) FOR NO KEY UPDATE)sql"};

// After the job's lock, so that what others did while this one waited for it is seen. The lease is
// locked against a renewal under way.
constexpr Statement kLockStep{"queue_lock_step", R"sql(
WITH l AS MATERIALIZED (
  SELECT step_id, state, token, expires_at <= statement_timestamp() AS expired
  FROM lease WHERE step_id = $1 FOR UPDATE)
SELECT s.id, s.job_id, s.campaign_id, s.state, s.epoch, s.attempts, s.max_attempts, p.probe,
       j.requested_samples, s.group_id IS NOT NULL,
       l.state, l.token, coalesce(l.expired, false),
       a.id, a.ended_at IS NOT NULL, a.body_sha256, a.agent_id,
       unix_ns(statement_timestamp()) - unix_ns(a.started_at), g.fast_failures,
       g.quarantined_at IS NOT NULL
FROM step s JOIN job j ON j.id = s.job_id JOIN profile p ON p.id = j.profile_id
  LEFT JOIN l ON l.step_id = s.id
  LEFT JOIN attempt a ON a.step_id = s.id AND a.epoch = $2
  LEFT JOIN agent g ON g.id = a.agent_id
WHERE s.id = $1 FOR NO KEY UPDATE OF s)sql"};

constexpr Statement kEndAttempt{"queue_end_attempt", R"sql(
WITH released AS (DELETE FROM lease WHERE step_id = $1 AND epoch = $2)
UPDATE attempt SET ended_at = coalesce(ended_at, statement_timestamp()), outcome = $3, message = $4,
  body_sha256 = $5, environment_before = $6::jsonb, environment_after = $7::jsonb,
  quiet = $8::jsonb
WHERE step_id = $1 AND epoch = $2
RETURNING id)sql"};

constexpr Statement kNotices{"queue_notices", R"sql(
INSERT INTO notice (attempt_id, stage, message)
SELECT $1, u.stage, u.message FROM unnest($2::text[], $3::text[]) AS u(stage, message))sql"};

constexpr Statement kEndStep{"queue_end_step", R"sql(
UPDATE step s SET
  state = CASE WHEN $2 = 'ready' AND c.state IN ('cancelling', 'cancelled') THEN 'cancelled'
               ELSE $2 END,
  message = $3,
  run_after = CASE WHEN $2 = 'ready' THEN statement_timestamp() + interval_of_ns($4)
                   ELSE s.run_after END,
  ended_at = CASE WHEN $2 <> 'ready' OR c.state IN ('cancelling', 'cancelled')
                  THEN statement_timestamp() END
FROM campaign c
WHERE s.id = $1 AND c.id = s.campaign_id
RETURNING s.state, s.job_id, s.campaign_id)sql"};

constexpr Statement kNeedMet{"queue_need_met", R"sql(
UPDATE step s SET
  needs_open = s.needs_open - 1,
  run_after = greatest(s.run_after, statement_timestamp() + interval_of_ns(d.delay_ns)),
  state = CASE s.needs_open WHEN 1 THEN 'ready' ELSE s.state END
FROM step_dependency d
WHERE d.needs = $1 AND s.id = d.step_id AND s.state = 'blocked')sql"};

constexpr Statement kFewOpen{"queue_few_open", R"sql(
SELECT count(*) < $2 FROM (
  SELECT FROM job WHERE campaign_id = $1 AND state IN ('pending', 'running') LIMIT $2) open)sql"};

constexpr Statement kAllEnded{"queue_all_ended", R"sql(
SELECT NOT EXISTS (SELECT FROM job WHERE campaign_id = $1 AND state IN ('pending', 'running'))
)sql"};

void insertNotices(Session& session, base::AttemptId attempt,
                   const std::vector<model::Notice>& notices) {
  if (notices.empty()) return;
  std::vector<std::string> stages, messages;
  for (const auto& notice : notices) {
    stages.push_back(notice.stage);
    messages.push_back(notice.message);
  }
  session.run(kNotices, Params::of(attempt, TextArray{stages}, TextArray{messages}));
}

std::string endedJson(const ports::StepEnd& end, std::string_view state) {
  return nlohmann::json{{"state", state},
                        {"outcome", model::toString(end.outcome)},
                        {"epoch", end.epoch},
                        {"message", repairText(end.message)}}
      .dump();
}

}  // namespace

base::Result<ports::StepSnapshot> PostgresQueueStore::lock(base::StepId step, std::int32_t epoch) {
  return session_.guard([&]() -> base::Result<ports::StepSnapshot> {
    ports::StepSnapshot out;
    session_.run(kLockJob, Params::of(step));
    auto row = session_.runMaybe(kLockStep, Params::of(step, epoch));
    if (!row) {
      return base::notFound("there is no step " + std::to_string(step.value) +
                            "; its campaign may have been deleted");
    }
    RowReader reader(*row);
    out.step = reader.id<base::StepTag>();
    out.job = reader.id<base::JobTag>();
    out.campaign = reader.id<base::CampaignTag>();
    std::string state = reader.text();
    out.state = wordOr(domain::parseStepState(state), "step state", state);
    out.epoch = reader.int32();
    out.attempts = reader.int32();
    out.maxAttempts = reader.int32();
    out.probe = reader.text();
    out.requestedSamples = reader.count();
    out.inGroup = reader.flag();
    if (auto word = reader.maybeText()) {
      out.lease = wordOr(domain::parseLeaseState(*word), "lease state", *word);
    }
    out.leaseToken = reader.binary();
    out.leaseExpired = reader.flag();
    if (auto attempt = reader.maybeInt64()) {
      out.attempt = base::AttemptId{*attempt};
      out.attemptEnded = reader.flag();
      out.attemptBodySha256 = reader.binary();
      out.attemptAgent = reader.uuid();
      out.attemptAge = reader.nanos();
      out.agentRecord.fastFailures = reader.int32();
      out.agentRecord.trust = reader.flag() ? domain::Trust::kQuarantined : domain::Trust::kTrusted;
    }
    return out;
  });
}

base::Status PostgresQueueStore::end(const ports::StepEnd& end) {
  if (!domain::isTerminal(end.newState) && end.newState != StepState::kReady) {
    return base::internal("an attempt can't end with its step " +
                          std::string(domain::toString(end.newState)));
  }
  std::string stored;
  base::CampaignId campaign;
  FM_TRY(session_.guard([&]() -> base::Status {
    std::optional<Binary> body;
    if (!end.bodySha256.empty()) body = Binary{end.bodySha256};
    std::optional<Json> quiet;
    if (!end.quietJson.empty()) quiet = Json{end.quietJson};
    auto attempt = session_.runMaybe(
        kEndAttempt,
        Params::of(end.step, end.epoch, model::toString(end.outcome), end.message, body,
                   Json{end.environmentBeforeJson}, Json{end.environmentAfterJson}, quiet));
    if (!attempt) {
      return base::notFound("step " + std::to_string(end.step.value) +
                            " has no attempt with epoch " + std::to_string(end.epoch));
    }
    insertNotices(session_, RowReader(*attempt).id<base::AttemptTag>(), end.notices);
    RowReader step(session_.runOne(kEndStep, Params::of(end.step, domain::toString(end.newState),
                                                        end.message, end.retryDelay)));
    stored = step.text();
    auto job = step.id<base::JobTag>();
    campaign = step.id<base::CampaignTag>();
    if (stored == "measured") {
      session_.run(kNeedMet, Params::of(end.step));
    } else if (stored != "ready") {
      cancelDependants(session_, end.step);
    }
    rollUpJob(session_, job);
    return {};
  }));
  return events_.append(campaign, end.step, "step.ended", endedJson(end, stored));
}

base::Result<bool> PostgresQueueStore::allJobsEnded(base::CampaignId id) {
  return session_.guard([&]() -> base::Result<bool> {
    return RowReader(session_.runOne(kAllEnded, Params::of(id))).flag();
  });
}

base::Result<bool> PostgresQueueStore::fewJobsOpen(base::CampaignId id, std::uint32_t few) {
  return session_.guard([&]() -> base::Result<bool> {
    return RowReader(session_.runOne(kFewOpen, Params::of(id, few))).flag();
  });
}

}  // namespace fleetmark::coordinator::store
