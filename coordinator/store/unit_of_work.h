// One transaction with its repositories. Private to this folder.
#pragma once

#include <memory>
#include <utility>

#include "coordinator/ports/store.h"
#include "coordinator/store/agent_store.h"
#include "coordinator/store/campaign_store.h"
#include "coordinator/store/credential_store.h"
#include "coordinator/store/event_store.h"
#include "coordinator/store/queue_store.h"
#include "coordinator/store/sample_store.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

class PostgresUnitOfWork final : public ports::UnitOfWork {
 public:
  // Throws when the server is gone, or when the connection has another unit open.
  explicit PostgresUnitOfWork(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)),
        session_(*connection_),
        events_(session_),
        campaigns_(session_, events_),
        queue_(session_, events_),
        samples_(session_, events_),
        agents_(session_),
        credentials_(session_) {}

  base::Status begin(ports::Durability durability);

  ports::CampaignStore& campaigns() override { return campaigns_; }
  ports::QueueStore& queue() override { return queue_; }
  ports::SampleStore& samples() override { return samples_; }
  ports::AgentStore& agents() override { return agents_; }
  ports::CredentialStore& credentials() override { return credentials_; }
  ports::EventStore& events() override { return events_; }
  base::Status commit() override { return session_.commit(); }

 private:
  std::shared_ptr<Connection> connection_;
  Session session_;
  PostgresEventStore events_;
  PostgresCampaignStore campaigns_;
  PostgresQueueStore queue_;
  PostgresSampleStore samples_;
  PostgresAgentStore agents_;
  PostgresCredentialStore credentials_;
};

}  // namespace fleetmark::coordinator::store
