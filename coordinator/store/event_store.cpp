#include "coordinator/store/event_store.h"

#include <charconv>

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kAppend{"event_append", R"sql(
INSERT INTO event (campaign_id, step_id, kind, data)
SELECT u.campaign_id, nullif(u.step_id, 0), u.kind, u.data
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::jsonb[])
  AS u(campaign_id, step_id, kind, data))sql"};

// A transaction gets its xid before it makes an event, so below the oldest xid that still runs
// nothing can be added; (xid, id) is therefore an order that only grows at its end.
constexpr Statement kAfter{"event_after", R"sql(
SELECT xid::text, id, unix_ns(at), kind, coalesce(step_id, 0), data::text
FROM event
WHERE campaign_id = $1 AND (xid, id) > ($2::text::xid8, $3::bigint)
  AND xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY xid, id
LIMIT $4)sql"};

struct Cursor {
  std::uint64_t xid = 0;
  std::int64_t id = 0;
};

// "xid-id"; empty: the beginning.
bool parseCursor(const std::string& text, Cursor& out) {
  if (text.empty()) return true;
  const char* end = text.data() + text.size();
  auto xid = std::from_chars(text.data(), end, out.xid);
  if (xid.ec != std::errc() || xid.ptr == end || *xid.ptr != '-') return false;
  auto id = std::from_chars(xid.ptr + 1, end, out.id);
  return id.ec == std::errc() && id.ptr == end;
}

constexpr Statement kAnnounce{"event_announce", "SELECT pg_notify('fleetmark_change', $1)"};

}  // namespace

base::Status PostgresEventStore::append(base::CampaignId campaign, base::StepId step,
                                        const std::string& kind, const std::string& dataJson) {
  return appendEach(std::vector{NewEvent{campaign, step, kind, dataJson}});
}

base::Status PostgresEventStore::appendEach(std::span<const NewEvent> events) {
  if (events.empty()) return {};
  return session_.guard([&]() -> base::Status {
    Column campaigns, steps, kinds, data;
    for (const auto& event : events) {
      campaigns.number(event.campaign.value);
      steps.number(event.step.value);
      kinds.text(event.kind);
      data.json(event.dataJson);
    }
    session_.run(kAppend, Params::of(campaigns, steps, kinds, data));
    return {};
  });
}

base::Result<std::vector<ports::CampaignEvent>> PostgresEventStore::after(base::CampaignId campaign,
                                                                          const std::string& cursor,
                                                                          std::uint32_t limit) {
  Cursor from;
  if (!parseCursor(cursor, from)) {
    return base::invalid("event cursor '" + cursor.substr(0, 50) +
                         "' is none of ours; begin without one");
  }
  return session_.guard([&]() -> base::Result<std::vector<ports::CampaignEvent>> {
    std::vector<ports::CampaignEvent> out;
    for (const auto& row : session_.run(kAfter, Params::of(campaign, from.xid, from.id, limit))) {
      RowReader reader(row);
      ports::CampaignEvent event;
      std::string xid = reader.text();
      event.cursor = xid + "-" + reader.text();
      event.at = reader.time();
      event.kind = reader.text();
      event.step = reader.id<base::StepTag>();
      event.dataJson = reader.text();
      out.push_back(std::move(event));
    }
    return out;
  });
}

base::Status PostgresEventStore::announce(const std::string& sender) {
  return session_.guard([&]() -> base::Status {
    session_.run(kAnnounce, Params::of(sender));
    return {};
  });
}

}  // namespace fleetmark::coordinator::store
