// Campaigns with their plan. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "coordinator/ports/store.h"
#include "coordinator/store/event_store.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

class PostgresCampaignStore final : public ports::CampaignStore {
 public:
  PostgresCampaignStore(Session& session, PostgresEventStore& events)
      : session_(session), events_(events) {}

  base::Result<base::CampaignId> insert(const ports::NewCampaign& campaign) override;
  base::Result<base::CampaignId> resolve(const std::string& ref) override;
  base::Result<ports::CampaignSummary> summary(base::CampaignId id) override;
  base::Result<std::vector<ports::CampaignSummary>> list(std::uint32_t limit) override;
  base::Result<std::vector<ports::StepStatus>> steps(base::CampaignId id) override;
  base::Result<domain::WhyFacts> whyFacts(base::CampaignId id, std::optional<base::JobId> job,
                                          base::Nanos onlineWindow) override;
  base::Result<ports::JobReasons> job(std::int64_t id, ports::JobRef ref) override;
  base::Result<domain::CampaignState> lockState(base::CampaignId id) override;
  base::Status setState(base::CampaignId id, domain::CampaignState state) override;
  base::Result<bool> setPaused(base::CampaignId id, ports::Pausing pausing) override;
  base::Result<std::vector<base::CampaignId>> finishable() override;

 private:
  Session& session_;
  PostgresEventStore& events_;
};

base::Error noSuchCampaign(base::CampaignId id);
base::Error unknownWord(std::string_view what, std::string_view word);

// For columns with a CHECK: an unknown word means that the database is not this program's.
template <typename E>
E wordOr(std::optional<E> parsed, std::string_view what, std::string_view word) {
  if (!parsed) throw std::runtime_error(unknownWord(what, word).message);
  return *parsed;
}

}  // namespace fleetmark::coordinator::store
