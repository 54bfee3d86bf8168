// Claims, leases and their ends. Private to this folder.
//
// Locks are taken in the order job, step, lease; where rows of several jobs are locked, in the
// order of their ids or with SKIP LOCKED. A claim waits for nothing but the machine's lease.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "coordinator/ports/store.h"
#include "coordinator/store/event_store.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

class PostgresQueueStore final : public ports::QueueStore {
 public:
  PostgresQueueStore(Session& session, PostgresEventStore& events)
      : session_(session), events_(events) {}

  base::Result<std::vector<std::optional<model::Assignment>>> claimEach(
      std::span<const ports::ClaimRequest> requests) override;
  base::Result<std::vector<ports::ReadyWork>> readyWork() override;
  base::Result<std::vector<std::optional<ports::StepSnapshot>>> lockEach(
      std::span<const ports::StepEpoch> steps) override;
  // An attempt that has ended already is given its later end: a completion may arrive after its
  // lease expired. A step that would become ready again in a campaign that is being cancelled is
  // cancelled instead.
  base::Status endEach(std::span<const ports::StepEnd> ends) override;
  base::Result<std::vector<model::RenewAnswer>> renew(const base::AgentId& agent,
                                                      std::span<const model::LeaseRef> leases,
                                                      base::Nanos ttl) override;
  base::Result<std::vector<std::pair<base::StepId, std::int32_t>>> expired(
      std::uint32_t limit) override;
  base::Result<std::optional<ports::GroupSnapshot>> group(base::StepId step) override;
  base::Status arrive(base::StepId step, std::int32_t epoch) override;
  base::Status moveGroup(const ports::GroupSnapshot& group, const domain::GroupStep& move) override;
  base::Result<std::vector<std::pair<base::StepId, std::int32_t>>> lateGroups(
      std::uint32_t limit) override;
  base::Result<std::uint32_t> cancelCampaign(base::CampaignId id,
                                             const std::string& message) override;
  base::Result<std::vector<base::CampaignId>> lateCampaigns() override;
  base::Result<std::vector<base::CampaignId>> cancelLateJobs() override;
  base::Result<bool> allJobsEnded(base::CampaignId id) override;
  base::Result<bool> fewJobsOpen(base::CampaignId id, std::uint32_t few) override;

 private:
  Session& session_;
  PostgresEventStore& events_;
};

}  // namespace fleetmark::coordinator::store
