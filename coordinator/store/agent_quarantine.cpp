// Agents that fail fast, see domain/quarantine.h.
#include "coordinator/store/agent_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kAgentFastFailures{"agent_fast_failures",
                                       "UPDATE agent SET fast_failures = $2 WHERE id = $1"};

constexpr Statement kAgentQuarantine{"agent_quarantine", R"sql(
WITH quarantined AS (
  UPDATE agent SET quarantined_at = statement_timestamp(), quarantine_reason = $2,
    fast_failures = $3
  WHERE id = $1
  RETURNING name)
INSERT INTO event (campaign_id, step_id, kind, data)
SELECT $4::bigint, $5::bigint, 'agent.quarantined', jsonb_build_object('agent', name, 'reason', $2::text)
FROM quarantined)sql"};

// The attempts of the row are the agent's last ones that it ended by its own word. Steps are locked
// in the order of their ids.
constexpr Statement kAgentGiveBack{"agent_give_back", R"sql(
WITH streak AS (
  SELECT step_id, count(*) AS attempts
  FROM (SELECT $2::bigint AS step_id
        UNION ALL
        (SELECT step_id FROM attempt
         WHERE agent_id = $1 AND id <> $3 AND body_sha256 IS NOT NULL
         ORDER BY ended_at DESC, id DESC LIMIT $4)) last
  GROUP BY step_id),
held AS MATERIALIZED (
  SELECT s.id FROM step s
  WHERE s.id IN (SELECT step_id FROM streak) AND s.state IN ('ready', 'leased')
    AND EXISTS (
      SELECT FROM runner r, agent o JOIN agent_heartbeat h ON h.agent_id = o.id
      WHERE r.id = s.runner_id AND o.id <> $1 AND NOT o.draining AND o.quarantined_at IS NULL
        AND o.labels @> r.match AND s.capability = ANY (o.capabilities)
        AND h.disconnected_at IS NULL
        AND h.seen_at >= statement_timestamp() - interval_of_ns($6))
  ORDER BY s.id FOR NO KEY UPDATE OF s)
UPDATE step s SET max_attempts = greatest(s.max_attempts,
                                          least(s.max_attempts + streak.attempts::int, $5))
FROM held JOIN streak ON streak.step_id = held.id
WHERE s.id = held.id)sql"};

constexpr Statement kAgentMaxAttempts{"agent_max_attempts",
                                      "SELECT max_attempts FROM step WHERE id = $1"};

}  // namespace

base::Status PostgresAgentStore::setFastFailures(const base::AgentId& agent, std::int32_t count) {
  return session_.guard([&]() -> base::Status {
    session_.run(kAgentFastFailures, Params::of(agent, count));
    return {};
  });
}

base::Result<std::int32_t> PostgresAgentStore::quarantine(const ports::Quarantine& quarantine) {
  return session_.guard([&]() -> base::Result<std::int32_t> {
    session_.run(kAgentQuarantine,
                 Params::of(quarantine.agent, quarantine.reason, quarantine.fastFailures,
                            quarantine.campaign, quarantine.step));
    session_.run(kAgentGiveBack, Params::of(quarantine.agent, quarantine.step, quarantine.attempt,
                                            quarantine.fastFailures - 1, quarantine.mostAttempts,
                                            quarantine.onlineWindow));
    return RowReader(session_.runOne(kAgentMaxAttempts, Params::of(quarantine.step))).int32();
  });
}

}  // namespace fleetmark::coordinator::store
