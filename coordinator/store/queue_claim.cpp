// Work goes out: the claim, and the life of its lease.
#include "common/base/hex.h"
#include "common/base/random.h"
#include "coordinator/store/campaign_store.h"
#include "coordinator/store/queue_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr std::size_t kTokenBytes = 16;

// The first few candidates of each runner that the agent fits are found by the index step_ready
// without a lock, and the first of all that nobody else holds is picked. Where others hold them all
// (as many claims at the same moment as there are candidates) the claim gets nothing this time. A
// campaign row that somebody else holds keeps its state until the next claim, rather than make the
// claim wait.
constexpr Statement kClaim{"queue_claim", R"sql(
WITH a AS MATERIALIZED (
  SELECT * FROM agent WHERE id = $1 AND session = $2 AND NOT draining AND quarantined_at IS NULL
    AND NOT EXISTS (SELECT FROM lease l WHERE l.machine_key = agent.machine_key)),
eligible AS MATERIALIZED (
  SELECT r.id FROM a
    JOIN campaign c ON c.state IN ('queued', 'running') AND NOT c.paused
    JOIN runner r ON r.campaign_id = c.id AND a.labels @> r.match),
candidate AS MATERIALIZED (
  SELECT first.* FROM a CROSS JOIN eligible e CROSS JOIN LATERAL (
    SELECT s.id, s.campaign_id, s.position, s.ordinal
    FROM step s
    WHERE s.runner_id = e.id AND s.state = 'ready' AND s.run_after <= statement_timestamp()
      AND s.capability = ANY (a.capabilities)
      AND NOT EXISTS (
        SELECT FROM step_dependency d JOIN attempt x ON x.step_id = d.needs
        WHERE d.step_id = s.id AND CASE d.host_relation
          WHEN 'same' THEN x.outcome = 'measured' AND x.host_id <> a.host_id
          WHEN 'different' THEN x.outcome = 'measured' AND x.host_id = a.host_id
          WHEN 'fresh' THEN x.host_id = a.host_id OR x.boot_id = a.boot_id
          ELSE false END)
      AND (s.group_id IS NULL OR EXISTS (
        SELECT FROM step_group g WHERE g.id = s.group_id AND g.state IN ('open', 'gathering')))
    ORDER BY s.position, s.ordinal
    LIMIT 16) first),
pick AS MATERIALIZED (
  SELECT s.id, s.job_id
  FROM candidate k JOIN step s ON s.id = k.id JOIN job j ON j.id = s.job_id
  WHERE s.state = 'ready' AND s.run_after <= statement_timestamp()
  ORDER BY k.campaign_id, k.position, k.ordinal
  LIMIT 1
  FOR NO KEY UPDATE OF s, j SKIP LOCKED),
claimed AS (
  UPDATE step s SET state = 'leased', epoch = s.epoch + 1, attempts = s.attempts + 1, message = ''
  FROM pick WHERE s.id = pick.id
  RETURNING s.*),
started AS (
  UPDATE job j SET state = 'running', started_at = coalesce(j.started_at, now())
  FROM claimed WHERE j.id = claimed.job_id AND j.state = 'pending'),
free_campaign AS MATERIALIZED (
  SELECT c.id FROM campaign c
  WHERE c.id = (SELECT campaign_id FROM claimed) AND c.state = 'queued'
  FOR NO KEY UPDATE SKIP LOCKED),
begun AS (
  UPDATE campaign c SET state = 'running', started_at = now()
  FROM free_campaign f WHERE c.id = f.id
  RETURNING c.id),
made AS (
  INSERT INTO attempt (step_id, epoch, agent_id, agent_version, host_id, environment_id,
                       machine_key, boot_id, clock_offset_ns, started_at)
  SELECT claimed.id, claimed.epoch, a.id, a.version, a.host_id, a.environment_id, a.machine_key,
         a.boot_id, a.clock_offset_ns, statement_timestamp()
  FROM claimed CROSS JOIN a
  RETURNING id, step_id),
gathered AS (
  UPDATE step_group g SET state = 'gathering', round = g.round + 1,
    gathering_since = statement_timestamp()
  FROM claimed WHERE g.id = claimed.group_id AND g.state = 'open'),
held AS (
  INSERT INTO lease (step_id, epoch, attempt_id, agent_id, machine_key, token, expires_at)
  SELECT claimed.id, claimed.epoch, made.id, a.id, a.machine_key, $3,
         statement_timestamp() + interval_of_ns($4)
  FROM claimed JOIN made ON made.step_id = claimed.id CROSS JOIN a),
told AS (
  INSERT INTO event (campaign_id, step_id, kind, data)
  SELECT id, NULL, 'campaign.state', jsonb_build_object('state', 'running') FROM begun
  UNION ALL
  SELECT claimed.campaign_id, claimed.id, 'step.claimed',
         jsonb_build_object('attempt', made.id, 'epoch', claimed.epoch, 'agent', a.name)
  FROM claimed JOIN made ON made.step_id = claimed.id CROSS JOIN a)
SELECT claimed.id, claimed.epoch, made.id, c.id, c.name, r.name, claimed.name, p.probe, p.protocol,
       p.params, j.placement, claimed.time_limit_ns, claimed.no_progress_limit_ns,
       (c.quiet ->> 'load_per_cpu')::float8, (c.quiet ->> 'wait_ns')::bigint,
       coalesce(c.quiet ->> 'otherwise', ''), coalesce(g.name, '')
FROM claimed
  JOIN made ON made.step_id = claimed.id
  JOIN job j ON j.id = claimed.job_id
  JOIN campaign c ON c.id = claimed.campaign_id
  JOIN runner r ON r.id = claimed.runner_id
  JOIN profile p ON p.id = j.profile_id
  LEFT JOIN step_group g ON g.id = claimed.group_id)sql"};

constexpr Statement kReadyWork{"queue_ready_work", R"sql(
SELECT r.match, due.capability, due.steps
FROM campaign c JOIN runner r ON r.campaign_id = c.id CROSS JOIN LATERAL (
  SELECT first.capability, count(*) AS steps
  FROM (SELECT s.capability FROM step s
        WHERE s.runner_id = r.id AND s.state = 'ready' AND s.run_after <= statement_timestamp()
        ORDER BY s.position, s.ordinal LIMIT $1) first
  GROUP BY first.capability) due
WHERE c.state IN ('queued', 'running') AND NOT c.paused
ORDER BY c.id, r.position)sql"};

constexpr Statement kRenew{"queue_renew", R"sql(
WITH wanted AS MATERIALIZED (
  SELECT * FROM unnest($2::bigint[], $3::int[], $4::text[]) WITH ORDINALITY
    AS u(step_id, epoch, token, place)),
renewed AS (
  UPDATE lease l SET expires_at = statement_timestamp() + interval_of_ns($5)
  FROM wanted w
  WHERE l.step_id = w.step_id AND l.epoch = w.epoch AND l.token = decode(w.token, 'hex')
    AND l.agent_id = $1 AND l.expires_at > statement_timestamp()
  RETURNING w.place, l.state)
SELECT coalesce(renewed.state, '') FROM wanted LEFT JOIN renewed ON renewed.place = wanted.place
ORDER BY wanted.place)sql"};

// The job is locked rather than the lease, see queue_store.h.
constexpr Statement kExpired{"queue_expired", R"sql(
SELECT l.step_id, l.epoch
FROM lease l JOIN step s ON s.id = l.step_id JOIN job j ON j.id = s.job_id
WHERE l.expires_at <= statement_timestamp()
ORDER BY l.expires_at
LIMIT $1
FOR NO KEY UPDATE OF j SKIP LOCKED)sql"};

model::RenewAnswer answerOf(std::string_view state) {
  if (state == "active") return model::RenewAnswer::kRenewed;
  if (state == "cancelling" || state == "releasing") return model::RenewAnswer::kCancel;
  return model::RenewAnswer::kLost;
}

}  // namespace

base::Result<std::optional<model::Assignment>> PostgresQueueStore::claim(
    const ports::ClaimRequest& request) {
  return session_.guard([&]() -> base::Result<std::optional<model::Assignment>> {
    std::string token = base::secureRandomBytes(kTokenBytes);
    auto row = session_.runMaybe(
        kClaim, Params::of(request.agent, request.session, Binary{token}, request.leaseTtl));
    if (!row) return std::optional<model::Assignment>();
    RowReader reader(*row);
    model::Assignment out;
    out.lease.step = reader.id<base::StepTag>();
    out.lease.epoch = reader.int32();
    out.lease.token = std::move(token);
    out.attempt = reader.id<base::AttemptTag>();
    out.campaign = reader.id<base::CampaignTag>();
    out.campaignName = reader.text();
    out.runner = reader.text();
    out.stepName = reader.text();
    out.probe = reader.text();
    out.protocol = reader.int64();
    out.paramsJson = reader.text();
    out.placementJson = reader.text();
    out.leaseTtl = request.leaseTtl;
    out.timeLimit = reader.nanos();
    out.noProgressLimit = reader.nanos();
    auto load = reader.maybeNumber();
    auto wait = reader.maybeInt64();
    std::string otherwise = reader.text();
    if (load && wait) {
      out.quiet = model::QuietSpec{
          *load, base::Nanos(*wait),
          wordOr(model::parseQuietOtherwise(otherwise), "what to do without quiet", otherwise)};
    }
    out.group = reader.text();
    return std::optional<model::Assignment>(std::move(out));
  });
}

base::Result<std::vector<ports::ReadyWork>> PostgresQueueStore::readyWork() {
  return session_.guard([&]() -> base::Result<std::vector<ports::ReadyWork>> {
    std::vector<ports::ReadyWork> out;
    for (const auto& row : session_.run(kReadyWork, Params::of(ports::ReadyWork::kMostReady))) {
      RowReader reader(row);
      ports::ReadyWork work;
      work.match = parseLabels(reader.text());
      work.capability = reader.text();
      work.steps = reader.count();
      out.push_back(std::move(work));
    }
    return out;
  });
}

base::Result<std::vector<model::RenewAnswer>> PostgresQueueStore::renew(
    const base::AgentId& agent, std::span<const model::LeaseRef> leases, base::Nanos ttl) {
  return session_.guard([&]() -> base::Result<std::vector<model::RenewAnswer>> {
    std::vector<model::RenewAnswer> out;
    if (leases.empty()) return out;
    std::vector<std::int64_t> steps, epochs;
    std::vector<std::string> tokens;
    for (const auto& lease : leases) {
      steps.push_back(lease.step.value);
      epochs.push_back(lease.epoch);
      tokens.push_back(base::toHex(lease.token));
    }
    auto rows = session_.run(
        kRenew, Params::of(agent, IntArray{steps}, IntArray{epochs}, TextArray{tokens}, ttl));
    for (const auto& row : rows) out.push_back(answerOf(RowReader(row).text()));
    return out;
  });
}

base::Result<std::vector<std::pair<base::StepId, std::int32_t>>> PostgresQueueStore::expired(
    std::uint32_t limit) {
  using Leases = std::vector<std::pair<base::StepId, std::int32_t>>;
  return session_.guard([&]() -> base::Result<Leases> {
    Leases out;
    for (const auto& row : session_.run(kExpired, Params::of(limit))) {
      RowReader reader(row);
      auto step = reader.id<base::StepTag>();
      out.emplace_back(step, reader.int32());
    }
    return out;
  });
}

}  // namespace fleetmark::coordinator::store
