#include "coordinator/service/ingest.h"

#include <optional>

#include "coordinator/domain/completion.h"
#include "coordinator/service/ingest_checks.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

using model::IngestAnswer;

// Empty: there is no such step.
base::Result<std::optional<ports::StepSnapshot>> lockKnown(ports::UnitOfWork& unit,
                                                           const model::LeaseRef& lease) {
  auto snapshot = unit.queue().lock(lease.step, lease.epoch);
  if (snapshot) return std::optional<ports::StepSnapshot>(std::move(*snapshot));
  if (snapshot.error().code == base::ErrorCode::kNotFound) {
    return std::optional<ports::StepSnapshot>();
  }
  return snapshot.error();
}

}  // namespace

base::Result<IngestReply> appendSamples(ports::Database& database, const ports::Registration& who,
                                        const model::LeaseRef& lease,
                                        const model::SampleChunk& chunk) {
  return inUnit(database, ports::Durability::kSynchronous,
                [&](ports::UnitOfWork& unit) -> base::Result<IngestReply> {
                  FM_TRY_ASSIGN(auto snapshot, lockKnown(unit, lease));
                  if (!snapshot) return IngestReply{IngestAnswer::kUnknown, {}};
                  auto answer = domain::decideChunk(storedAttempt(*snapshot, who, lease));
                  if (answer != IngestAnswer::kOk) return IngestReply{answer, {}};
                  FM_TRY(checkChunk(snapshot->probe, chunk));
                  FM_TRY_ASSIGN(answer, unit.samples().append(*snapshot->attempt, chunk));
                  return IngestReply{answer, {}};
                });
}

base::Result<IngestReply> appendLog(ports::Database& database, const ports::Registration& who,
                                    const model::LeaseRef& lease, const std::string& stream,
                                    std::uint32_t sequence, const std::string& text) {
  return inUnit(database, ports::Durability::kRelaxed,
                [&](ports::UnitOfWork& unit) -> base::Result<IngestReply> {
                  FM_TRY_ASSIGN(auto snapshot, lockKnown(unit, lease));
                  if (!snapshot) return IngestReply{IngestAnswer::kUnknown, {}};
                  auto answer = domain::decideChunk(storedAttempt(*snapshot, who, lease));
                  if (answer != IngestAnswer::kOk) return IngestReply{answer, {}};
                  FM_TRY(unit.samples().appendLog(*snapshot->attempt, stream, sequence, text));
                  return IngestReply{IngestAnswer::kOk, {}};
                });
}

}  // namespace fleetmark::coordinator::service
