// Steps that several agents do at the same time, see domain/group.h. The job's lock, which claims
// and ends take as well, keeps the members from moving while a group is decided on.
#include <nlohmann/json.hpp>

#include "coordinator/store/campaign_store.h"
#include "coordinator/store/queue_effects.h"
#include "coordinator/store/queue_store.h"

namespace fleetmark::coordinator::store {

namespace {

using domain::GroupAction;

constexpr Statement kGroup{"queue_group", R"sql(
SELECT g.id, g.name, g.state,
       g.gathering_since + interval_of_ns(g.limit_ns) <= statement_timestamp()
FROM step_group g WHERE g.id = (SELECT group_id FROM step WHERE id = $1))sql"};

constexpr Statement kMembers{"queue_group_members", R"sql(
SELECT s.id, s.state, s.arrived_epoch = s.epoch AND s.epoch > 0
FROM step s WHERE s.group_id = $1 ORDER BY s.id)sql"};

constexpr Statement kArrive{"queue_group_arrive",
                            "UPDATE step SET arrived_epoch = $2 WHERE id = $1 AND epoch = $2"};

constexpr Statement kSetGroup{"queue_group_set", R"sql(
UPDATE step_group SET state = $2,
  gathering_since = CASE $2 WHEN 'open' THEN NULL ELSE gathering_since END,
  running_since = CASE $2 WHEN 'running' THEN statement_timestamp() WHEN 'open' THEN NULL
                  ELSE running_since END
WHERE id = $1)sql"};

constexpr Statement kRelease{"queue_group_release", R"sql(
UPDATE lease SET state = 'releasing'
WHERE state = 'active' AND step_id IN (SELECT id FROM step WHERE group_id = $1))sql"};

constexpr Statement kEndWaiting{"queue_group_end_waiting", R"sql(
WITH ended AS (
  UPDATE step SET state = $2, message = $3, ended_at = statement_timestamp()
  WHERE group_id = $1 AND state IN ('blocked', 'ready')
  RETURNING campaign_id, id, job_id),
told AS (
  INSERT INTO event (campaign_id, step_id, kind, data)
  SELECT campaign_id, id, 'step.ended', jsonb_build_object('state', $2::text, 'message', $3::text)
  FROM ended)
SELECT id, job_id FROM ended)sql"};

constexpr Statement kLateGroups{"queue_group_late", R"sql(
SELECT DISTINCT ON (g.id) s.id, s.epoch
FROM step_group g JOIN step s ON s.group_id = g.id AND s.state = 'leased'
WHERE g.state = 'gathering'
  AND g.gathering_since + interval_of_ns(g.limit_ns) <= statement_timestamp()
ORDER BY g.id, s.id
LIMIT $1)sql"};

}  // namespace

base::Result<std::optional<ports::GroupSnapshot>> PostgresQueueStore::group(base::StepId step) {
  return session_.guard([&]() -> base::Result<std::optional<ports::GroupSnapshot>> {
    auto row = session_.runMaybe(kGroup, Params::of(step));
    if (!row) return std::optional<ports::GroupSnapshot>();
    ports::GroupSnapshot out;
    RowReader reader(*row);
    out.group = reader.int64();
    out.name = reader.text();
    std::string word = reader.text();
    out.state = wordOr(domain::parseGroupState(word), "group state", word);
    out.timeUp = reader.flag();
    for (const auto& each : session_.run(kMembers, Params::of(out.group))) {
      RowReader member(each);
      out.steps.push_back(member.id<base::StepTag>());
      std::string state = member.text();
      out.members.push_back({wordOr(domain::parseStepState(state), "step state", state),
                             member.flag() ? domain::Arrival::kArrived : domain::Arrival::kNotYet});
    }
    return std::optional<ports::GroupSnapshot>(std::move(out));
  });
}

base::Status PostgresQueueStore::arrive(base::StepId step, std::int32_t epoch) {
  return session_.guard([&]() -> base::Status {
    session_.run(kArrive, Params::of(step, epoch));
    return {};
  });
}

base::Status PostgresQueueStore::moveGroup(const ports::GroupSnapshot& group,
                                           const domain::GroupStep& move) {
  return session_.guard([&]() -> base::Status {
    if (move.next != group.state) {
      session_.run(kSetGroup, Params::of(group.group, domain::toString(move.next)));
    }
    bool release =
        move.action == GroupAction::kReleaseLeased || move.action == GroupAction::kReleaseAndCancel;
    if (release) session_.run(kRelease, Params::of(group.group));
    bool lose = move.action == GroupAction::kLoseWaiting;
    bool cancel =
        move.action == GroupAction::kCancelWaiting || move.action == GroupAction::kReleaseAndCancel;
    if (!lose && !cancel) return {};
    std::string message =
        "another member of group '" + group.name +
        (lose ? "' has ended, so this one can't be repeated: they are measured at the same time"
              : "' ended before all had come together");
    auto ended =
        session_.run(kEndWaiting, Params::of(group.group,
                                             domain::toString(lose ? domain::StepState::kLost
                                                                   : domain::StepState::kCancelled),
                                             message));
    for (const auto& row : ended) {
      RowReader reader(row);
      cancelDependants(session_, reader.id<base::StepTag>());
      rollUpJobs(session_, std::vector{reader.id<base::JobTag>()});
    }
    return {};
  });
}

base::Result<std::vector<std::pair<base::StepId, std::int32_t>>> PostgresQueueStore::lateGroups(
    std::uint32_t limit) {
  using Steps = std::vector<std::pair<base::StepId, std::int32_t>>;
  return session_.guard([&]() -> base::Result<Steps> {
    Steps out;
    for (const auto& row : session_.run(kLateGroups, Params::of(limit))) {
      RowReader reader(row);
      auto step = reader.id<base::StepTag>();
      out.emplace_back(step, reader.int32());
    }
    return out;
  });
}

}  // namespace fleetmark::coordinator::store
