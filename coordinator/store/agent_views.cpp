// Agents as operators see them and set them.
#include "common/base/nearest.h"
#include "coordinator/store/agent_store.h"

namespace fleetmark::coordinator::store {

namespace {

// One agent ($2) or all. Offline goes before all else: what an operator wished for is told by the
// reason.
constexpr Statement kAgentViews{"agent_views", R"sql(
SELECT a.id, a.name,
       CASE WHEN h.disconnected_at IS NOT NULL
              OR h.seen_at < statement_timestamp() - interval_of_ns($1) THEN 'offline'
            WHEN a.quarantined_at IS NOT NULL THEN 'quarantined'
            WHEN a.draining THEN 'draining'
            WHEN busy.doing IS NOT NULL THEN 'busy' ELSE 'online' END,
       a.labels, a.capabilities, unix_ns(h.seen_at), coalesce(busy.doing, ''), a.version,
       e.cpu_model, a.clock_offset_ns,
       concat_ws('; ', CASE WHEN a.quarantined_at IS NOT NULL
                            THEN 'quarantined: ' || a.quarantine_reason END,
                       CASE WHEN a.draining THEN 'an operator drains it' END)
FROM agent a
  JOIN agent_heartbeat h ON h.agent_id = a.id
  JOIN environment e ON e.id = a.environment_id
  LEFT JOIN LATERAL (
    SELECT string_agg(c.name || ': ' || p.probe || ' ' || s.name || ' for ' || r.name ||
                      ', trial ' || j.trial, '; ' ORDER BY s.id) AS doing
    FROM lease l
      JOIN step s ON s.id = l.step_id
      JOIN job j ON j.id = s.job_id
      JOIN campaign c ON c.id = s.campaign_id
      JOIN runner r ON r.id = s.runner_id
      JOIN profile p ON p.id = j.profile_id
    WHERE l.agent_id = a.id) busy ON true
WHERE $2::uuid IS NULL OR a.id = $2
ORDER BY a.name, a.id)sql"};

constexpr Statement kAgentById{"agent_by_id", "SELECT id FROM agent WHERE id = $1"};
constexpr Statement kAgentByName{"agent_by_name",
                                 "SELECT id FROM agent WHERE name = $1 ORDER BY id"};
constexpr Statement kAgentNames{"agent_names",
                                "SELECT DISTINCT name FROM agent ORDER BY name LIMIT 1000"};

constexpr Statement kAgentDraining{
    "agent_draining", "UPDATE agent SET draining = $2 WHERE id = $1 AND draining <> $2"};
constexpr Statement kAgentRelease{"agent_release", R"sql(
UPDATE agent SET quarantined_at = NULL, quarantine_reason = '', fast_failures = 0
WHERE id = $1 AND quarantined_at IS NOT NULL)sql"};

ports::AgentView readAgentView(const pqxx::row& row) {
  RowReader reader(row);
  ports::AgentView view;
  view.id = reader.uuid();
  view.name = reader.text();
  view.state = reader.text();
  view.labels = parseLabels(reader.text());
  view.probes = reader.texts();
  view.lastSeen = reader.time();
  view.doing = reader.text();
  view.version = reader.text();
  view.cpuModel = reader.text();
  view.clockOffset = reader.nanos();
  view.reason = reader.text();
  return view;
}

base::Error noSuchAgent(const std::string& ref, const std::vector<std::string>& names) {
  std::string message = "there is no agent '" + ref + "'";
  std::vector<std::string_view> views(names.begin(), names.end());
  if (auto nearest = base::nearestName(ref, views)) {
    message += "; did you mean '" + *nearest + "'?";
  } else if (names.empty()) {
    message += "; none has registered yet";
  } else {
    message += "; there are ";
    for (std::size_t i = 0; i < names.size() && i < 5; ++i) {
      message += (i == 0 ? "'" : ", '") + names[i] + "'";
    }
    if (names.size() > 5) message += " and " + std::to_string(names.size() - 5) + " more";
  }
  return base::notFound(std::move(message));
}

}  // namespace

base::Result<std::vector<ports::AgentView>> PostgresAgentStore::list(base::Nanos window) {
  return session_.guard([&]() -> base::Result<std::vector<ports::AgentView>> {
    std::vector<ports::AgentView> out;
    for (const auto& row :
         session_.run(kAgentViews, Params::of(window, std::optional<base::AgentId>()))) {
      out.push_back(readAgentView(row));
    }
    return out;
  });
}

base::Result<base::AgentId> PostgresAgentStore::resolve(const std::string& ref) {
  return session_.guard([&]() -> base::Result<base::AgentId> {
    if (auto id = base::Uuid::parse(ref)) {
      if (session_.runMaybe(kAgentById, Params::of(*id))) return *id;
    }
    auto named = session_.run(kAgentByName, Params::of(ref));
    if (named.size() == 1) return RowReader(named[0]).uuid();
    if (named.size() > 1) {
      std::string ids;
      for (const auto& row : named) ids += (ids.empty() ? "" : ", ") + RowReader(row).text();
      return base::invalid(std::to_string(named.size()) + " agents have the name '" + ref +
                           "'; name one by its id: " + ids);
    }
    std::vector<std::string> names;
    for (const auto& row : session_.run(kAgentNames)) names.push_back(RowReader(row).text());
    return noSuchAgent(ref, names);
  });
}

base::Result<ports::AgentView> PostgresAgentStore::view(const base::AgentId& agent,
                                                        base::Nanos window) {
  return session_.guard([&]() -> base::Result<ports::AgentView> {
    auto row = session_.runMaybe(kAgentViews, Params::of(window, agent));
    if (!row) return base::notFound("there is no agent " + agent.toString());
    return readAgentView(*row);
  });
}

base::Status PostgresAgentStore::set(const base::AgentId& agent, ports::AgentWish wish) {
  return session_.guard([&]() -> base::Status {
    switch (wish) {
      case ports::AgentWish::kDrain:
        session_.run(kAgentDraining, Params::of(agent, true));
        break;
      case ports::AgentWish::kUndrain:
        session_.run(kAgentDraining, Params::of(agent, false));
        break;
      case ports::AgentWish::kRelease:
        session_.run(kAgentRelease, Params::of(agent));
        break;
    }
    return {};
  });
}

}  // namespace fleetmark::coordinator::store
