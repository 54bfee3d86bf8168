// The outbox. Private to this folder.
//
// Kinds and their data:
//   campaign.state  {"state": word}
//   campaign.paused, campaign.resumed  {}
//   agent.quarantined  {"agent": name, "reason": text}
//   step.claimed    {"attempt": number, "epoch": number, "agent": name}
//   step.samples    {"attempt": number, "chunk": number, "samples": number, "ok": number}
//   step.ended      {"state": word, "outcome": word, "epoch": number, "message": text}; a step that
//                   was cancelled without an attempt has neither outcome nor epoch
// and what services append themselves.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coordinator/ports/store.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

struct NewEvent {
  base::CampaignId campaign;
  base::StepId step;
  std::string kind;
  std::string dataJson;
};

class PostgresEventStore final : public ports::EventStore {
 public:
  explicit PostgresEventStore(Session& session) : session_(session) {}
  base::Status append(base::CampaignId campaign, base::StepId step, const std::string& kind,
                      const std::string& dataJson) override;
  base::Status appendEach(std::span<const NewEvent> events);
  base::Result<std::vector<ports::CampaignEvent>> after(base::CampaignId campaign,
                                                        const std::string& cursor,
                                                        std::uint32_t limit) override;
  base::Status announce(const std::string& sender) override;

 private:
  Session& session_;
};

}  // namespace fleetmark::coordinator::store
