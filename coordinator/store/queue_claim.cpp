// Work goes out: to any number of agents with three statements.
#include <algorithm>
#include <map>

#include "common/base/hex.h"
#include "common/base/random.h"
#include "coordinator/domain/matching.h"
#include "coordinator/store/campaign_store.h"
#include "coordinator/store/queue_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr std::size_t kTokenBytes = 16;

// How often those whose step somebody else held choose anew.
constexpr int kMostRounds = 4;

// Offers beyond one a taker, for those that others hold.
constexpr std::size_t kSpareOffers = 16;

// Agents that may take something now, with the runners whose labels they have.
constexpr Statement kTakers{"queue_takers", R"sql(
SELECT u.place, a.machine_key, a.capabilities, array_agg(r.id)
FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS u(agent, session, place)
  JOIN agent a ON a.id = u.agent AND a.session = u.session
  JOIN campaign c ON c.state IN ('queued', 'running') AND NOT c.paused
  JOIN runner r ON r.campaign_id = c.id AND a.labels @> r.match
WHERE NOT a.draining AND a.quarantined_at IS NULL
  AND NOT EXISTS (SELECT FROM lease l WHERE l.machine_key = a.machine_key)
GROUP BY u.place, a.machine_key, a.capabilities)sql"};

// The first that are due, found without a lock by the indices step_ready and step_ready_bound: of
// each runner and set of capabilities those that any host may do, and of each runner and agent
// those that depend on the host.
constexpr Statement kOffers{"queue_offers", R"sql(
WITH kind AS MATERIALIZED (
  SELECT u.runner_id, u.capabilities::text[] AS capabilities
  FROM unnest($1::bigint[], $2::text[]) AS u(runner_id, capabilities)),
one AS MATERIALIZED (
  SELECT u.place, u.runner_id, a.capabilities, a.host_id, a.boot_id
  FROM unnest($3::int[], $4::uuid[], $5::bigint[]) AS u(place, agent, runner_id)
    JOIN agent a ON a.id = u.agent),
offered AS (
  SELECT NULL::int AS place, first.* FROM kind k CROSS JOIN LATERAL (
    SELECT s.id, s.runner_id, s.capability, s.campaign_id, s.position, s.ordinal
    FROM step s
    WHERE s.runner_id = k.runner_id AND s.state = 'ready' AND NOT s.host_bound
      AND s.run_after <= statement_timestamp() AND s.capability = ANY (k.capabilities)
      AND (s.group_id IS NULL OR EXISTS (
        SELECT FROM step_group g WHERE g.id = s.group_id AND g.state IN ('open', 'gathering')))
    ORDER BY s.position, s.ordinal
    LIMIT $6) first
  UNION ALL
  SELECT o.place, first.* FROM one o CROSS JOIN LATERAL (
    SELECT s.id, s.runner_id, s.capability, s.campaign_id, s.position, s.ordinal
    FROM step s
    WHERE s.runner_id = o.runner_id AND s.state = 'ready' AND s.host_bound
      AND s.run_after <= statement_timestamp() AND s.capability = ANY (o.capabilities)
      AND NOT EXISTS (
        SELECT FROM step_dependency d JOIN attempt x ON x.step_id = d.needs
        WHERE d.step_id = s.id AND CASE d.host_relation
          WHEN 'same' THEN x.outcome = 'measured' AND x.host_id <> o.host_id
          WHEN 'different' THEN x.outcome = 'measured' AND x.host_id = o.host_id
          WHEN 'fresh' THEN x.host_id = o.host_id OR x.boot_id = o.boot_id
          ELSE false END)
      AND (s.group_id IS NULL OR EXISTS (
        SELECT FROM step_group g WHERE g.id = s.group_id AND g.state IN ('open', 'gathering')))
    ORDER BY s.position, s.ordinal
    LIMIT $6) first)
SELECT id, runner_id, capability, coalesce(place, 0) FROM offered
ORDER BY campaign_id, position, ordinal, id, place)sql"};

// Those of the steps that nobody else holds. A campaign row that somebody else holds keeps its
// state until the next claim, rather than make the claim wait. Leases are made in the order of
// machines, so that two claims never wait for each other.
constexpr Statement kClaim{"queue_claim", R"sql(
WITH wanted AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[])
    WITH ORDINALITY AS u(step_id, agent_id, session, token, ttl, place)),
pick AS MATERIALIZED (
  SELECT w.*
  FROM wanted w JOIN step s ON s.id = w.step_id JOIN job j ON j.id = s.job_id
  WHERE s.state = 'ready' AND s.run_after <= statement_timestamp()
    AND (s.group_id IS NULL OR EXISTS (
      SELECT FROM step_group g WHERE g.id = s.group_id AND g.state IN ('open', 'gathering')))
    AND EXISTS (SELECT FROM agent a WHERE a.id = w.agent_id AND a.session = w.session)
  FOR NO KEY UPDATE OF s, j SKIP LOCKED),
claimed AS (
  UPDATE step s SET state = 'leased', epoch = s.epoch + 1, attempts = s.attempts + 1, message = ''
  FROM pick WHERE s.id = pick.step_id
  RETURNING s.*, pick.agent_id, pick.token, pick.ttl, pick.place),
started AS (
  UPDATE job j SET state = 'running', started_at = coalesce(j.started_at, now())
  FROM claimed WHERE j.id = claimed.job_id AND j.state = 'pending'),
free_campaign AS MATERIALIZED (
  SELECT c.id FROM campaign c
  WHERE c.id IN (SELECT campaign_id FROM claimed) AND c.state = 'queued'
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
  FROM claimed JOIN agent a ON a.id = claimed.agent_id
  ORDER BY claimed.place
  RETURNING id, step_id, machine_key),
gathered AS (
  UPDATE step_group g SET state = 'gathering', round = g.round + 1,
    gathering_since = statement_timestamp()
  FROM claimed WHERE g.id = claimed.group_id AND g.state = 'open'),
held AS (
  INSERT INTO lease (step_id, epoch, attempt_id, agent_id, machine_key, token, expires_at)
  SELECT claimed.id, claimed.epoch, made.id, claimed.agent_id, made.machine_key,
         decode(claimed.token, 'hex'), statement_timestamp() + interval_of_ns(claimed.ttl)
  FROM claimed JOIN made ON made.step_id = claimed.id
  ORDER BY made.machine_key),
told AS (
  INSERT INTO event (campaign_id, step_id, kind, data)
  SELECT id, NULL, 'campaign.state', jsonb_build_object('state', 'running') FROM begun
  UNION ALL
  SELECT claimed.campaign_id, claimed.id, 'step.claimed',
         jsonb_build_object('attempt', made.id, 'epoch', claimed.epoch, 'agent', a.name)
  FROM claimed JOIN made ON made.step_id = claimed.id JOIN agent a ON a.id = claimed.agent_id)
SELECT claimed.place, claimed.id, claimed.epoch, made.id, c.id, c.name, r.name, claimed.name,
       p.probe, p.protocol, p.params, j.placement, claimed.time_limit_ns,
       claimed.no_progress_limit_ns, (c.quiet ->> 'load_per_cpu')::float8,
       (c.quiet ->> 'wait_ns')::bigint, coalesce(c.quiet ->> 'otherwise', ''), coalesce(g.name, '')
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

using Requests = std::span<const ports::ClaimRequest>;
using Assigned = std::vector<std::optional<model::Assignment>>;

std::vector<domain::OfferTaker> takersOf(Session& session, Requests requests) {
  Column agents, sessions;
  for (const auto& request : requests) {
    agents.text(request.agent.toString());
    sessions.number(request.session);
  }
  std::vector<domain::OfferTaker> out(requests.size());
  for (const auto& row : session.run(kTakers, Params::of(agents, sessions))) {
    RowReader reader(row);
    auto& taker = out.at(reader.place());
    taker.machine = reader.text();
    taker.capabilities = reader.texts();
    taker.runners = reader.int64s();
  }
  return out;
}

std::vector<domain::Offer> offersFor(Session& session, Requests requests,
                                     std::span<const domain::OfferTaker> takers) {
  std::map<std::pair<std::int64_t, std::vector<std::string>>, bool> kinds;
  Column places, agents, ofAgents;
  for (std::size_t place = 0; place < takers.size(); ++place) {
    for (std::int64_t runner : takers[place].runners) {
      kinds[{runner, takers[place].capabilities}] = true;
      places.number(static_cast<std::int64_t>(place) + 1);
      agents.text(requests[place].agent.toString());
      ofAgents.number(runner);
    }
  }
  std::vector<domain::Offer> out;
  if (kinds.empty()) return out;
  Column runners, capabilities;
  for (const auto& [kind, unused] : kinds) {
    runners.number(kind.first);
    Column list;
    for (const auto& each : kind.second) list.text(each);
    capabilities.text(list.literal());
  }
  const auto most = static_cast<std::int64_t>(2 * takers.size() + kSpareOffers);
  for (const auto& row :
       session.run(kOffers, Params::of(runners, capabilities, places, agents, ofAgents, most))) {
    RowReader reader(row);
    const std::int64_t step = reader.int64();
    if (out.empty() || out.back().step != step) {
      auto& offer = out.emplace_back();
      offer.step = step;
      offer.runner = reader.int64();
      offer.capability = reader.text();
    } else {
      reader.skip();
      reader.skip();
    }
    if (const std::int64_t place = reader.int64(); place > 0) {
      out.back().suits = domain::Suits::kNamed;
      out.back().takers.push_back(static_cast<std::size_t>(place - 1));
    }
  }
  return out;
}

model::Assignment assignmentOf(RowReader& reader, const ports::ClaimRequest& request,
                               std::string token) {
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
  return out;
}

// Claims what was chosen; answers how many of the steps somebody else holds. What was tried is out
// of `offers`, who got something out of `takers`.
std::size_t claimChosen(Session& session, Requests requests,
                        std::span<const std::optional<std::size_t>> chosen,
                        std::vector<domain::OfferTaker>& takers, std::vector<domain::Offer>& offers,
                        Assigned& out) {
  Column steps, agents, sessions, tokens, ttls;
  std::vector<std::size_t> places;
  std::vector<std::string> secrets;
  std::vector<std::int64_t> tried;
  for (std::size_t place = 0; place < chosen.size(); ++place) {
    if (!chosen[place]) continue;
    const auto& request = requests[place];
    places.push_back(place);
    secrets.push_back(base::secureRandomBytes(kTokenBytes));
    tried.push_back(offers[*chosen[place]].step);
    steps.number(tried.back());
    agents.text(request.agent.toString());
    sessions.number(request.session);
    tokens.text(base::toHex(secrets.back()));
    ttls.number(request.leaseTtl.count());
  }
  if (places.empty()) return 0;
  std::size_t got = 0;
  std::vector<std::string> machines;
  for (const auto& row : session.run(kClaim, Params::of(steps, agents, sessions, tokens, ttls))) {
    RowReader reader(row);
    const std::size_t index = reader.place();
    const std::size_t place = places.at(index);
    out[place] = assignmentOf(reader, requests[place], std::move(secrets.at(index)));
    machines.push_back(takers[place].machine);
    ++got;
  }
  auto among = [](const auto& values, const auto& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  for (auto& taker : takers) {
    if (among(machines, taker.machine)) taker.runners.clear();
  }
  std::erase_if(offers, [&](const domain::Offer& offer) { return among(tried, offer.step); });
  return places.size() - got;
}

}  // namespace

base::Result<Assigned> PostgresQueueStore::claimEach(Requests requests) {
  return session_.guard([&]() -> base::Result<Assigned> {
    Assigned out(requests.size());
    auto takers = takersOf(session_, requests);
    auto offers = offersFor(session_, requests, takers);
    for (int round = 0; round < kMostRounds; ++round) {
      const auto chosen = domain::match(takers, offers);
      if (claimChosen(session_, requests, chosen, takers, offers, out) == 0) break;
    }
    return out;
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

}  // namespace fleetmark::coordinator::store
