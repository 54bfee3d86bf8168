#include "tests/chaos/checks.h"

namespace fleetmark::chaos {

// The search path is fleetmark.
const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"every step has ended",
       "SELECT id, name, state FROM step"
       " WHERE state IN ('blocked', 'ready', 'leased') OR ended_at IS NULL"},

      {"every attempt has ended",
       "SELECT id, step_id, epoch, agent_id FROM attempt"
       " WHERE outcome IS NULL OR ended_at IS NULL"},

      {"no lease is left", "SELECT step_id, epoch, agent_id, state, expires_at FROM lease"},

      {"a step that is measured has one measured attempt, any other has none",
       "SELECT s.id, s.state, count(x.id) FROM step s"
       " LEFT JOIN attempt x ON x.step_id = s.id AND x.outcome = 'measured'"
       " GROUP BY s.id HAVING count(x.id) <> (s.state = 'measured')::int"},

      {"a step that failed has one failed measurement, any other has none",
       "SELECT s.id, s.state, count(x.id) FROM step s"
       " LEFT JOIN attempt x ON x.step_id = s.id AND x.outcome = 'measurement'"
       " GROUP BY s.id HAVING count(x.id) <> (s.state = 'failed')::int"},

      {"an attempt that is a result was delivered with its completion",
       "SELECT id, step_id, epoch, outcome FROM attempt"
       " WHERE outcome IN ('measured', 'measurement') AND body_sha256 IS NULL"},

      // Once a member of a group has ended, none of the others is repeated alone.
      {"a lost step has used its attempts",
       "SELECT id, attempts, max_attempts FROM step"
       " WHERE state = 'lost' AND attempts < max_attempts AND group_id IS NULL"},

      {"attempts are numbered by their claims",
       "SELECT s.id, s.epoch, count(x.id), max(x.epoch) FROM step s"
       " LEFT JOIN attempt x ON x.step_id = s.id"
       " GROUP BY s.id HAVING s.epoch <> count(x.id) OR s.epoch <> coalesce(max(x.epoch), 0)"},

      {"each attempt has one event of its claim",
       "SELECT x.id, x.step_id, x.epoch, count(e.id) FROM attempt x"
       " LEFT JOIN event e ON e.step_id = x.step_id AND e.kind = 'step.claimed'"
       "   AND (e.data ->> 'epoch')::int = x.epoch"
       " GROUP BY x.id HAVING count(e.id) <> 1"},

      {"each step has one event of its end, with its state",
       "SELECT s.id, s.state, count(e.id), min(e.data ->> 'state') FROM step s"
       " LEFT JOIN event e ON e.step_id = s.id AND e.kind = 'step.ended'"
       "   AND e.data ->> 'state' <> 'ready'"
       " GROUP BY s.id HAVING count(e.id) <> 1 OR min(e.data ->> 'state') <> s.state"},

      {"a job's state follows from its steps",
       "SELECT j.id, j.state, array_agg(s.state) FROM job j JOIN step s ON s.job_id = j.id"
       " GROUP BY j.id HAVING j.ended_at IS NULL OR j.state <> CASE"
       "   WHEN bool_or(s.state IN ('failed', 'lost')) THEN 'failed'"
       "   WHEN bool_or(s.state = 'cancelled') THEN 'cancelled' ELSE 'done' END"},

      {"a campaign has ended with its jobs",
       "SELECT id, name, state, finished_at FROM campaign"
       " WHERE state NOT IN ('done', 'cancelled') OR finished_at IS NULL"},

      {"each campaign has one event of its end",
       "SELECT c.id, c.state, count(e.id) FROM campaign c"
       " LEFT JOIN event e ON e.campaign_id = c.id AND e.kind = 'campaign.state'"
       "   AND e.data ->> 'state' IN ('done', 'cancelled')"
       " GROUP BY c.id HAVING count(e.id) <> 1"},

      {"every value is the one that the seed gives",
       "SELECT q.attempt_id, q.index, q.value, q.expected FROM ("
       "  SELECT v.attempt_id, v.index, v.value, ('x' || left(encode(sha256(convert_to("
       "    (p.params ->> 'seed') || '/' || v.index, 'UTF8')), 'hex'), 8))::bit(32)::bigint"
       "    AS expected"
       "  FROM samples v JOIN step s ON s.id = v.step_id JOIN job j ON j.id = s.job_id"
       "    JOIN profile p ON p.id = j.profile_id) q"
       " WHERE q.value IS DISTINCT FROM q.expected::float8"},

      {"no sample is there twice",
       "SELECT attempt_id, metric, index, count(*) FROM samples"
       " GROUP BY attempt_id, metric, index HAVING count(*) > 1"},

      {"a measured attempt has all of its samples",
       "SELECT x.id, j.requested_samples, count(v.index), max(v.index) FROM attempt x"
       " JOIN step s ON s.id = x.step_id JOIN job j ON j.id = s.job_id"
       " LEFT JOIN samples v ON v.attempt_id = x.id AND v.verdict = 'ok'"
       " WHERE x.outcome = 'measured' GROUP BY x.id, j.id"
       " HAVING count(v.index) <> j.requested_samples"
       "   OR max(v.index) <> j.requested_samples - 1"},

      {"a result says what its samples say",
       "SELECT x.id, x.outcome, r.n, r.min, r.max, r.mean, q.n, q.min, q.max, q.mean"
       " FROM attempt x LEFT JOIN result r ON r.attempt_id = x.id"
       " LEFT JOIN (SELECT attempt_id, count(value) AS n, min(value), max(value),"
       "   avg(value) AS mean FROM samples WHERE verdict = 'ok' GROUP BY attempt_id) q"
       "   ON q.attempt_id = x.id"
       " WHERE x.outcome IN ('measured', 'measurement') AND (r.n IS NULL"
       "   OR r.n <> coalesce(q.n, 0) OR r.min IS DISTINCT FROM q.min"
       "   OR r.max IS DISTINCT FROM q.max OR abs(r.mean - q.mean) > 1e-6 * q.mean)"},

      {"only measurements have results",
       "SELECT x.id, x.outcome FROM result r JOIN attempt x ON x.id = r.attempt_id"
       " WHERE x.outcome NOT IN ('measured', 'measurement')"},

      {"leases of one machine never overlapped",
       "SELECT x.id, y.id, x.machine_key, x.started_at, x.ended_at, y.started_at"
       " FROM attempt x JOIN attempt y ON y.machine_key = x.machine_key AND y.id <> x.id"
       "   AND y.started_at >= x.started_at AND y.started_at < x.ended_at"},

      // All agents read the same clock, so what was measured at the same time shows by its times.
      {"nothing was measured on a machine while another probe measured there",
       "WITH span AS (SELECT x.id, x.machine_key, min(v.started_at) AS first,"
       "   max(v.started_at) AS last FROM attempt x JOIN samples v ON v.attempt_id = x.id"
       "   GROUP BY x.id)"
       " SELECT a.id, b.id, a.machine_key, a.first, a.last, b.first, b.last"
       " FROM span a JOIN span b ON b.machine_key = a.machine_key AND b.id <> a.id"
       "   AND b.first > a.first AND b.first < a.last"},

      {"a step begins after the steps it needs, and their pause",
       "SELECT d.step_id, d.needs, y.started_at, x.ended_at FROM step_dependency d"
       " JOIN attempt x ON x.step_id = d.needs AND x.outcome = 'measured'"
       " JOIN attempt y ON y.step_id = d.step_id"
       " WHERE y.started_at < x.ended_at + interval_of_ns(d.delay_ns)"},

      {"a step stands in the right relation to the machine before it",
       "SELECT d.step_id, d.needs, d.host_relation, x.machine_key, y.machine_key"
       " FROM step_dependency d JOIN attempt x ON x.step_id = d.needs"
       "   JOIN attempt y ON y.step_id = d.step_id"
       " WHERE CASE d.host_relation"
       "   WHEN 'same' THEN x.outcome = 'measured' AND x.machine_key <> y.machine_key"
       "   WHEN 'different' THEN x.outcome = 'measured' AND x.machine_key = y.machine_key"
       "   WHEN 'fresh' THEN x.machine_key = y.machine_key ELSE false END"},

      {"steps of a group were measured at the same time",
       "SELECT a.step_id, b.step_id, a.started_at, a.ended_at, b.started_at, b.ended_at"
       " FROM step s JOIN step t ON t.group_id = s.group_id AND t.id > s.id"
       " JOIN attempt a ON a.step_id = s.id AND a.outcome = 'measured'"
       " JOIN attempt b ON b.step_id = t.id AND b.outcome = 'measured'"
       " WHERE a.started_at >= b.ended_at OR b.started_at >= a.ended_at"},

      {"one request makes one campaign",
       "SELECT request_key, count(*) FROM campaign GROUP BY request_key"
       " HAVING count(*) > 1 OR request_key IS NULL"},
  };
  return all;
}

}  // namespace fleetmark::chaos
