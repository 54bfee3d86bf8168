#include "coordinator/store/campaign_store.h"

#include <charconv>
#include <stdexcept>

#include "common/base/nearest.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kById{"campaign_by_id", "SELECT id FROM campaign WHERE id = $1"};
constexpr Statement kByName{"campaign_by_name",
                            "SELECT id FROM campaign WHERE name = $1 ORDER BY id DESC LIMIT 1"};
constexpr Statement kNames{"campaign_names", R"sql(
SELECT name FROM campaign GROUP BY name ORDER BY max(id) DESC LIMIT 200)sql"};

// One campaign ($1) or all. Invalid samples are counted of attempts that ended alone: the others
// are still coming.
constexpr Statement kSummaries{"campaign_summaries", R"sql(
SELECT c.id, c.name, c.state, unix_ns(c.submitted_at), unix_ns(c.finished_at),
       s.total, s.measured, s.failed, s.lost, s.cancelled, s.running,
       (SELECT coalesce(sum(q.n - q.ok_count), 0)
        FROM step t JOIN attempt x ON x.step_id = t.id JOIN sample_series q ON q.attempt_id = x.id
        WHERE t.campaign_id = c.id AND x.ended_at IS NOT NULL),
       c.estimate_ns, c.paused AND c.state NOT IN ('done', 'cancelled')
FROM campaign c CROSS JOIN LATERAL (
  SELECT count(*) AS total,
         count(*) FILTER (WHERE state = 'measured') AS measured,
         count(*) FILTER (WHERE state = 'failed') AS failed,
         count(*) FILTER (WHERE state = 'lost') AS lost,
         count(*) FILTER (WHERE state = 'cancelled') AS cancelled,
         count(*) FILTER (WHERE state = 'leased') AS running
  FROM step WHERE campaign_id = c.id) s
WHERE $1::bigint IS NULL OR c.id = $1
ORDER BY c.id DESC LIMIT $2)sql"};

constexpr Statement kLockState{"campaign_lock_state",
                               "SELECT state FROM campaign WHERE id = $1 FOR NO KEY UPDATE"};

constexpr Statement kSetState{"campaign_set_state", R"sql(
UPDATE campaign SET state = $2,
  started_at = CASE WHEN $2 = 'running' THEN coalesce(started_at, now()) ELSE started_at END,
  finished_at = CASE WHEN $2 IN ('done', 'cancelled') THEN coalesce(finished_at, now()) END
WHERE id = $1
RETURNING id)sql"};

constexpr Statement kSetPaused{"campaign_set_paused", R"sql(
UPDATE campaign SET paused = $2 WHERE id = $1 AND paused <> $2 RETURNING id)sql"};

constexpr Statement kFinishable{"campaign_finishable", R"sql(
SELECT c.id FROM campaign c
WHERE c.state NOT IN ('done', 'cancelled')
  AND NOT EXISTS (SELECT FROM job j
                  WHERE j.campaign_id = c.id AND j.state IN ('pending', 'running'))
ORDER BY c.id)sql"};

ports::CampaignSummary readSummary(const pqxx::row& row) {
  RowReader reader(row);
  ports::CampaignSummary out;
  out.id = reader.id<base::CampaignTag>();
  out.name = reader.text();
  std::string state = reader.text();
  out.state = wordOr(domain::parseCampaignState(state), "campaign state", state);
  out.submittedAt = reader.time();
  out.finishedAt = reader.maybeTime();
  out.stepsTotal = reader.count();
  out.stepsMeasured = reader.count();
  out.stepsFailed = reader.count();
  out.stepsLost = reader.count();
  out.stepsCancelled = reader.count();
  out.stepsRunning = reader.count();
  out.samplesInvalid = reader.count();
  out.estimate = reader.nanos();
  out.paused = reader.flag();
  return out;
}

std::optional<std::int64_t> parseNumber(const std::string& text) {
  std::int64_t value = 0;
  auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

base::Error noSuchCampaign(base::CampaignId id) {
  return base::notFound("there is no campaign " + std::to_string(id.value) +
                        "; fleetmark status lists the campaigns");
}

base::Error unknownWord(std::string_view what, std::string_view word) {
  return base::internal("the database has the " + std::string(what) + " '" + std::string(word) +
                        "', which this program does not know; is the database newer?");
}

base::Result<base::CampaignId> PostgresCampaignStore::resolve(const std::string& ref) {
  return session_.guard([&]() -> base::Result<base::CampaignId> {
    if (auto number = parseNumber(ref)) {
      if (auto row = session_.runMaybe(kById, Params::of(*number))) {
        return RowReader(*row).id<base::CampaignTag>();
      }
    }
    if (auto row = session_.runMaybe(kByName, Params::of(ref))) {
      return RowReader(*row).id<base::CampaignTag>();
    }
    std::vector<std::string> names;
    for (const auto& row : session_.run(kNames)) names.push_back(RowReader(row).text());
    std::vector<std::string_view> views(names.begin(), names.end());
    std::string message = "there is no campaign '" + ref + "'";
    if (auto nearest = base::nearestName(ref, views)) {
      message += "; did you mean '" + *nearest + "'?";
    } else if (names.empty()) {
      message += "; none has been submitted yet";
    } else {
      message += "; the newest are ";
      for (std::size_t i = 0; i < names.size() && i < 3; ++i) {
        message += (i == 0 ? "'" : ", '") + names[i] + "'";
      }
    }
    return base::notFound(std::move(message));
  });
}

base::Result<ports::CampaignSummary> PostgresCampaignStore::summary(base::CampaignId id) {
  return session_.guard([&]() -> base::Result<ports::CampaignSummary> {
    auto row = session_.runMaybe(kSummaries, Params::of(id, 1));
    if (!row) return noSuchCampaign(id);
    return readSummary(*row);
  });
}

base::Result<std::vector<ports::CampaignSummary>> PostgresCampaignStore::list(std::uint32_t limit) {
  return session_.guard([&]() -> base::Result<std::vector<ports::CampaignSummary>> {
    std::vector<ports::CampaignSummary> out;
    auto rows = session_.run(kSummaries, Params::of(std::optional<std::int64_t>(), limit));
    for (const auto& row : rows) out.push_back(readSummary(row));
    return out;
  });
}

base::Result<domain::CampaignState> PostgresCampaignStore::lockState(base::CampaignId id) {
  return session_.guard([&]() -> base::Result<domain::CampaignState> {
    auto row = session_.runMaybe(kLockState, Params::of(id));
    if (!row) return noSuchCampaign(id);
    std::string word = RowReader(*row).text();
    return wordOr(domain::parseCampaignState(word), "campaign state", word);
  });
}

base::Status PostgresCampaignStore::setState(base::CampaignId id, domain::CampaignState state) {
  auto stored = session_.guard([&]() -> base::Status {
    auto row = session_.runMaybe(kSetState, Params::of(id, domain::toString(state)));
    if (!row) return noSuchCampaign(id);
    return {};
  });
  FM_TRY(stored);
  return events_.append(id, {}, "campaign.state",
                        R"({"state": ")" + std::string(domain::toString(state)) + "\"}");
}

base::Result<bool> PostgresCampaignStore::setPaused(base::CampaignId id, ports::Pausing pausing) {
  bool pause = pausing == ports::Pausing::kPause;
  FM_TRY_ASSIGN(bool changed, session_.guard([&]() -> base::Result<bool> {
    return session_.runMaybe(kSetPaused, Params::of(id, pause)).has_value();
  }));
  if (changed) {
    FM_TRY(events_.append(id, {}, pause ? "campaign.paused" : "campaign.resumed", "{}"));
  }
  return changed;
}

base::Result<std::vector<base::CampaignId>> PostgresCampaignStore::finishable() {
  return session_.guard([&]() -> base::Result<std::vector<base::CampaignId>> {
    std::vector<base::CampaignId> out;
    for (const auto& row : session_.run(kFinishable)) {
      out.push_back(RowReader(row).id<base::CampaignTag>());
    }
    return out;
  });
}

}  // namespace fleetmark::coordinator::store
