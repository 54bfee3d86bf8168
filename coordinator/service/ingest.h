// What an agent measured comes in: chunks of samples as they are taken, and the end of the
// attempt. Both may be sent again at any time; the answer says whether to drop or to send more.
#pragma once

#include <cstdint>
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

// `lastChunk`: null, or a chunk that is stored first, in the same transaction.
// Results, states, dependants, events and what the end says about the agent (quarantine.h) are
// stored in one transaction; then the campaign is ended where this was its last step.
base::Result<IngestReply> complete(ports::Database& database, const Settings& settings,
                                   const ports::Registration& who, const model::LeaseRef& lease,
                                   const model::Completion& completion,
                                   const model::SampleChunk* lastChunk = nullptr);

base::Result<IngestReply> appendLog(ports::Database& database, const ports::Registration& who,
                                    const model::LeaseRef& lease, const std::string& stream,
                                    std::uint32_t sequence, const std::string& text);

}  // namespace fleetmark::coordinator::service
