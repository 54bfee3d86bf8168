// Work comes back: the ends of attempts and what they set off, with the same statements for one and
// for many.
#include <nlohmann/json.hpp>
#include <span>

#include "common/base/hex.h"
#include "coordinator/store/campaign_store.h"
#include "coordinator/store/queue_effects.h"
#include "coordinator/store/queue_store.h"

namespace fleetmark::coordinator::store {

namespace {

using domain::StepState;

constexpr Statement kLockJobsOfEnds{"queue_lock_jobs_of_ends", R"sql(
SELECT id FROM job WHERE id IN (SELECT job_id FROM step WHERE id = ANY ($1::bigint[]))
ORDER BY id FOR NO KEY UPDATE)sql"};

// After the jobs' locks, so that what others did while this one waited for them is seen. The leases
// are locked against renewals under way.
constexpr Statement kLockEnds{"queue_lock_ends", R"sql(
WITH l AS MATERIALIZED (
  SELECT step_id, state, token, expires_at <= statement_timestamp() AS expired
  FROM lease WHERE step_id = ANY ($1::bigint[]) ORDER BY step_id FOR UPDATE)
SELECT u.place, s.id, s.job_id, s.campaign_id, s.state, s.epoch, s.attempts, s.max_attempts,
       p.probe, j.requested_samples, s.group_id IS NOT NULL,
       l.state, l.token, coalesce(l.expired, false),
       a.id, a.ended_at IS NOT NULL, a.body_sha256, a.agent_id,
       unix_ns(statement_timestamp()) - unix_ns(a.started_at), g.fast_failures,
       g.quarantined_at IS NOT NULL
FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS u(step_id, epoch, place)
  JOIN step s ON s.id = u.step_id
  JOIN job j ON j.id = s.job_id JOIN profile p ON p.id = j.profile_id
  LEFT JOIN l ON l.step_id = s.id
  LEFT JOIN attempt a ON a.step_id = s.id AND a.epoch = u.epoch
  LEFT JOIN agent g ON g.id = a.agent_id
FOR NO KEY UPDATE OF s)sql"};

constexpr Statement kEndAttempts{"queue_end_attempts", R"sql(
WITH u AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::text[], $6::jsonb[],
                       $7::jsonb[], $8::jsonb[])
    WITH ORDINALITY AS u(step_id, epoch, outcome, message, body, before, after, quiet, place)),
released AS (
  DELETE FROM lease l USING u WHERE l.step_id = u.step_id AND l.epoch = u.epoch)
UPDATE attempt a SET ended_at = coalesce(a.ended_at, statement_timestamp()), outcome = u.outcome,
  message = u.message, body_sha256 = decode(u.body, 'hex'), environment_before = u.before,
  environment_after = u.after, quiet = u.quiet
FROM u WHERE a.step_id = u.step_id AND a.epoch = u.epoch
RETURNING u.place, a.id)sql"};

constexpr Statement kNotices{"queue_notices", R"sql(
INSERT INTO notice (attempt_id, stage, message)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]))sql"};

constexpr Statement kEndSteps{"queue_end_steps", R"sql(
UPDATE step s SET
  state = CASE WHEN u.state = 'ready' AND c.state IN ('cancelling', 'cancelled') THEN 'cancelled'
               ELSE u.state END,
  message = u.message,
  run_after = CASE WHEN u.state = 'ready' THEN statement_timestamp() + interval_of_ns(u.delay)
                   ELSE s.run_after END,
  ended_at = CASE WHEN u.state <> 'ready' OR c.state IN ('cancelling', 'cancelled')
                  THEN statement_timestamp() END
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY
       AS u(step_id, state, message, delay, place), campaign c
WHERE s.id = u.step_id AND c.id = s.campaign_id
RETURNING u.place, s.state, s.job_id, s.campaign_id)sql"};

constexpr Statement kNeedsMet{"queue_needs_met", R"sql(
UPDATE step s SET
  needs_open = s.needs_open - d.met,
  run_after = greatest(s.run_after, statement_timestamp() + interval_of_ns(d.delay_ns)),
  state = CASE s.needs_open WHEN d.met THEN 'ready' ELSE s.state END
FROM (SELECT step_id, count(*) AS met, max(delay_ns) AS delay_ns FROM step_dependency
      WHERE needs = ANY ($1::bigint[]) GROUP BY step_id) d
WHERE s.id = d.step_id AND s.state = 'blocked')sql"};

constexpr Statement kFewOpen{"queue_few_open", R"sql(
SELECT count(*) < $2 FROM (
  SELECT FROM job WHERE campaign_id = $1 AND state IN ('pending', 'running') LIMIT $2) open)sql"};

constexpr Statement kAllEnded{"queue_all_ended", R"sql(
SELECT NOT EXISTS (SELECT FROM job WHERE campaign_id = $1 AND state IN ('pending', 'running'))
)sql"};

std::string endedJson(const ports::StepEnd& end, std::string_view state) {
  return nlohmann::json{{"state", state},
                        {"outcome", model::toString(end.outcome)},
                        {"epoch", end.epoch},
                        {"message", repairText(end.message)}}
      .dump();
}

ports::StepSnapshot snapshotOf(RowReader& reader) {
  ports::StepSnapshot out;
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
}

// kNotFound: a step has no attempt with that epoch.
base::Status endAttempts(Session& session, std::span<const ports::StepEnd> ends) {
  Column steps, epochs, outcomes, messages, bodies, before, after, quiet;
  for (const auto& end : ends) {
    steps.number(end.step.value);
    epochs.number(end.epoch);
    outcomes.text(model::toString(end.outcome));
    messages.text(end.message);
    if (end.bodySha256.empty()) {
      bodies.null();
    } else {
      bodies.raw(base::toHex(end.bodySha256));
    }
    before.json(end.environmentBeforeJson);
    after.json(end.environmentAfterJson);
    if (end.quietJson.empty()) {
      quiet.null();
    } else {
      quiet.json(end.quietJson);
    }
  }
  std::vector<std::optional<base::AttemptId>> attempts(ends.size());
  for (const auto& row : session.run(kEndAttempts, Params::of(steps, epochs, outcomes, messages,
                                                              bodies, before, after, quiet))) {
    RowReader reader(row);
    const std::size_t place = reader.place();
    attempts.at(place) = reader.id<base::AttemptTag>();
  }
  Column ofAttempts, stages, texts;
  bool any = false;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!attempts[i]) {
      return base::notFound("step " + std::to_string(ends[i].step.value) +
                            " has no attempt with epoch " + std::to_string(ends[i].epoch));
    }
    for (const auto& notice : ends[i].notices) {
      ofAttempts.number(attempts[i]->value);
      stages.text(notice.stage);
      texts.text(notice.message);
      any = true;
    }
  }
  if (any) session.run(kNotices, Params::of(ofAttempts, stages, texts));
  return {};
}

}  // namespace

base::Result<std::vector<std::optional<ports::StepSnapshot>>> PostgresQueueStore::lockEach(
    std::span<const ports::StepEpoch> steps) {
  using Out = std::vector<std::optional<ports::StepSnapshot>>;
  return session_.guard([&]() -> base::Result<Out> {
    Out out(steps.size());
    Column ids, epochs;
    for (const auto& each : steps) {
      ids.number(each.step.value);
      epochs.number(each.epoch);
    }
    session_.run(kLockJobsOfEnds, Params::of(ids));
    for (const auto& row : session_.run(kLockEnds, Params::of(ids, epochs))) {
      RowReader reader(row);
      const std::size_t place = reader.place();
      out.at(place) = snapshotOf(reader);
    }
    return out;
  });
}

base::Status PostgresQueueStore::endEach(std::span<const ports::StepEnd> ends) {
  for (const auto& end : ends) {
    if (!domain::isTerminal(end.newState) && end.newState != StepState::kReady) {
      return base::internal("an attempt can't end with its step " +
                            std::string(domain::toString(end.newState)));
    }
  }
  if (ends.empty()) return {};
  return session_.guard([&]() -> base::Status {
    FM_TRY(endAttempts(session_, ends));
    Column steps, states, messages, delays;
    for (const auto& end : ends) {
      steps.number(end.step.value);
      states.text(domain::toString(end.newState));
      messages.text(end.message);
      delays.number(end.retryDelay.count());
    }
    std::vector<NewEvent> events;
    std::vector<base::JobId> jobs;
    std::vector<base::StepId> failed;
    Column measured;
    bool anyMeasured = false;
    for (const auto& row : session_.run(kEndSteps, Params::of(steps, states, messages, delays))) {
      RowReader reader(row);
      const auto& end = ends[reader.place()];
      const std::string stored = reader.text();
      jobs.push_back(reader.id<base::JobTag>());
      events.push_back(
          {reader.id<base::CampaignTag>(), end.step, "step.ended", endedJson(end, stored)});
      if (stored == "measured") {
        measured.number(end.step.value);
        anyMeasured = true;
      } else if (stored != "ready") {
        failed.push_back(end.step);
      }
    }
    if (anyMeasured) session_.run(kNeedsMet, Params::of(measured));
    for (auto step : failed) cancelDependants(session_, step);
    rollUpJobs(session_, jobs);
    return events_.appendEach(events);
  });
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
