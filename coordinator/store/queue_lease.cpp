// The life of a lease between its claim and its end.
#include "common/base/hex.h"
#include "coordinator/store/queue_store.h"

namespace fleetmark::coordinator::store {

namespace {

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
