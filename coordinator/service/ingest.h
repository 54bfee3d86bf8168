// What an agent measured comes in: chunks of samples as they are taken, and the end of the
// attempt. Both may be sent again at any time; the answer says whether to drop or to send more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/model/work.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::service {

struct IngestReply {
  model::IngestAnswer answer = model::IngestAnswer::kOk;
  std::vector<std::uint32_t> missing;  // chunk numbers, with kMissing
};

// kInvalid: a sample of a metric that the probe does not have.
base::Result<IngestReply> appendSamples(ports::Database& database, const ports::Registration& who,
                                        const model::LeaseRef& lease,
                                        const model::SampleChunk& chunk);

// The end of an attempt as an agent sent it.
struct Delivery {
  ports::Registration who;
  model::LeaseRef lease;
  model::Completion completion;
  std::optional<model::SampleChunk> lastChunk;  // stored first, in the same transaction
};

// Results, states, dependants, events and what the end says about the agent (quarantine.h) are
// stored in one transaction; then the campaign is ended where this was its last step.
base::Result<IngestReply> complete(ports::Database& database, const Settings& settings,
                                   const Delivery& delivery);

// An answer for each, in order. As many as possible in one transaction, with the statements of one;
// those that move more than their own job, and all when the database refuses one of them, each in a
// transaction of its own.
inline constexpr std::size_t kMostTogether = 64;
std::vector<base::Result<IngestReply>> completeEach(ports::Database& database,
                                                    const Settings& settings,
                                                    std::span<const Delivery> deliveries);

base::Result<IngestReply> appendLog(ports::Database& database, const ports::Registration& who,
                                    const model::LeaseRef& lease, const std::string& stream,
                                    std::uint32_t sequence, const std::string& text);

}  // namespace fleetmark::coordinator::service
