#include <algorithm>
#include <set>

#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class Schema : public StoreTest {
 protected:
  // The quoted words of a CHECK constraint.
  std::set<std::string> checkWords(const std::string& constraint) {
    std::string text =
        sql("SELECT pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE conname = '" +
            constraint + "'");
    std::set<std::string> out;
    std::size_t at = 0;
    while ((at = text.find('\'', at)) != std::string::npos) {
      std::size_t end = text.find('\'', at + 1);
      out.insert(text.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    return out;
  }
};

template <typename E>
std::set<std::string> words(const std::vector<E>& all) {
  std::set<std::string> out;
  for (E value : all) out.insert(std::string(toString(value)));
  return out;
}

TEST_F(Schema, CheckListsAreTheEnums) {
  EXPECT_EQ(checkWords("campaign_state_known"), words(domain::allCampaignStates()));
  EXPECT_EQ(checkWords("job_state_known"), words(domain::allJobStates()));
  EXPECT_EQ(checkWords("step_state_known"), words(domain::allStepStates()));
  EXPECT_EQ(checkWords("step_dependency_host_relation_known"), words(model::allHostRelations()));
  EXPECT_EQ(checkWords("attempt_outcome_known"), words(model::allOutcomes()));
  EXPECT_EQ(checkWords("metric_unit_known"), words(model::allUnits()));
  EXPECT_EQ(checkWords("result_unit_known"), words(model::allUnits()));
  EXPECT_EQ(checkWords("metric_better_known"), words(model::allBetter()));
  EXPECT_EQ(checkWords("result_better_known"), words(model::allBetter()));
  for (const auto& word : checkWords("campaign_dispatch_order_known")) {
    EXPECT_TRUE(model::parseOrder(word)) << word;
  }
  EXPECT_EQ(checkWords("campaign_dispatch_order_known").size(), 4u);
}

TEST_F(Schema, LeasesThatEndedHaveNoRow) {
  std::vector<domain::LeaseState> live;
  for (auto state : domain::allLeaseStates()) {
    if (!domain::isTerminal(state)) live.push_back(state);
  }
  EXPECT_EQ(checkWords("lease_state_known"), words(live));
}

TEST_F(Schema, VerdictsAreStoredByTheirNumber) {
  int number = 0;
  for (auto verdict : model::allVerdicts()) {
    EXPECT_EQ(static_cast<int>(verdict), number);
    EXPECT_EQ(sql("SELECT fleetmark.verdict_word(" + std::to_string(number) + "::smallint)"),
              model::toString(verdict));
    ++number;
  }
  EXPECT_EQ(sql("SELECT fleetmark.verdict_word(" + std::to_string(number) + "::smallint)"), "");
}

TEST_F(Schema, EverythingThatPeopleSeeHasAComment) {
  EXPECT_EQ(sql("SELECT string_agg(c.relname, ', ') FROM pg_class c "
                "WHERE c.relnamespace = 'fleetmark'::regnamespace AND c.relkind IN ('r', 'v') "
                "AND obj_description(c.oid, 'pg_class') IS NULL"),
            "");
  EXPECT_EQ(sql("SELECT string_agg(c.relname || '.' || a.attname, ', ') FROM pg_class c "
                "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
                "WHERE c.relnamespace = 'fleetmark'::regnamespace AND c.relkind = 'v' "
                "AND col_description(c.oid, a.attnum) IS NULL"),
            "");
  EXPECT_EQ(sql("SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class "
                "WHERE relnamespace = 'fleetmark'::regnamespace AND relkind = 'v'"),
            "campaigns,history,notices,regressions,results,runner_comparison,runners,samples");
}

TEST_F(Schema, DurationsAndSizesSayTheirUnit) {
  EXPECT_EQ(sql("SELECT string_agg(table_name || '.' || column_name, ', ') "
                "FROM information_schema.columns WHERE table_schema = 'fleetmark' "
                "AND (data_type IN ('interval', 'timestamp without time zone') "
                "OR (column_name ~ '_(ns|bytes)$' AND data_type NOT IN ('bigint', 'ARRAY')))"),
            "");
}

}  // namespace
}  // namespace fleetmark::coordinator::store
