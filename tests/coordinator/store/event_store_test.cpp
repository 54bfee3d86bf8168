#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class EventStore : public StoreTest {
 protected:
  std::vector<ports::CampaignEvent> after(base::CampaignId id, const std::string& cursor,
                                          std::uint32_t limit = 100) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.events().after(id, cursor, limit); });
  }
  static std::vector<std::string> kinds(const std::vector<ports::CampaignEvent>& events) {
    std::vector<std::string> out;
    for (const auto& event : events) out.push_back(event.kind);
    return out;
  }
};

TEST_F(EventStore, TellsACampaignsLifeInOrder) {
  auto id = insert(makeCampaign());
  insert(makeCampaign());  // another one's events are not told
  auto work = claim(enter());
  measured(work->lease);
  auto all = after(id, "");
  EXPECT_EQ(kinds(all), (std::vector<std::string>{"campaign.state", "campaign.state",
                                                  "step.claimed", "step.ended"}));
  EXPECT_EQ(all[1].dataJson, R"({"state": "running"})");
  EXPECT_EQ(all[2].step, work->lease.step);
  EXPECT_EQ(all[0].step.value, 0);
  auto rest = after(id, all[1].cursor);
  EXPECT_EQ(kinds(rest), (std::vector<std::string>{"step.claimed", "step.ended"}));
  EXPECT_EQ(after(id, "", 1).size(), 1u);
  EXPECT_TRUE(after(id, all[3].cursor).empty());
}

TEST_F(EventStore, MissesNothingOfAnEarlierTransactionThatIsStillOpen) {
  auto id = insert(makeCampaign());
  auto start = after(id, "").back().cursor;

  // The slow one is given its place first (xid and event id) and commits last.
  auto slowDb = open();
  auto slow = must(slowDb->begin());
  must(slow->events().append(id, {}, "slow", "{}"));
  auto fastDb = open();
  auto fast = must(fastDb->begin());
  must(fast->events().append(id, {}, "fast", "{}"));
  must(fast->commit());
  fast.reset();

  auto seen = after(id, start);
  EXPECT_TRUE(seen.empty());
  must(slow->commit());
  slow.reset();
  EXPECT_EQ(kinds(after(id, start)), (std::vector<std::string>{"slow", "fast"}));
}

TEST_F(EventStore, MissesNothingWhenIdsAndTransactionsAreInOppositeOrder) {
  auto id = insert(makeCampaign());
  auto start = after(id, "").back().cursor;
  // `first` gets its xid first but its event id last.
  auto firstDb = open();
  auto first = must(firstDb->begin());
  must(first->campaigns().setState(id, domain::CampaignState::kRunning));
  auto secondDb = open();
  auto second = must(secondDb->begin());
  must(second->events().append(id, {}, "second", "{}"));
  must(first->events().append(id, {}, "first", "{}"));
  must(first->commit());
  first.reset();
  // `second` is open and younger than `first`.
  auto seen = after(id, start);
  EXPECT_EQ(kinds(seen), (std::vector<std::string>{"campaign.state", "first"}));
  must(second->commit());
  second.reset();
  EXPECT_EQ(kinds(after(id, seen.back().cursor)), std::vector<std::string>{"second"});
}

TEST_F(EventStore, AForeignCursorIsInvalid) {
  auto unit = must(db_->begin());
  for (const char* cursor : {"x", "1", "1-", "-1", "1-2-3", "99999999999999999999-1"}) {
    EXPECT_EQ(codeOf(unit->events().after({1}, cursor, 1)), base::ErrorCode::kInvalid) << cursor;
  }
}

}  // namespace
}  // namespace fleetmark::coordinator::store
