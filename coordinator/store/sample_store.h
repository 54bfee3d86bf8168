// Samples as arrays, results as wide rows, logs, and the rows of a report. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coordinator/ports/store.h"
#include "coordinator/store/event_store.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

class PostgresSampleStore final : public ports::SampleStore {
 public:
  PostgresSampleStore(Session& session, PostgresEventStore& events)
      : session_(session), events_(events) {}

  // kInvalid: a value that is no finite number, a start before 1970, or a context that is no JSON.
  base::Result<std::vector<model::IngestAnswer>> appendEach(
      std::span<const AttemptChunk> chunks) override;
  base::Status countChunks(std::span<ChunkCount> counts) override;
  // At most 1,000 of them.
  base::Result<std::vector<std::uint32_t>> missing(base::AttemptId attempt,
                                                   std::uint32_t count) override;
  // Contexts come back compact and with sorted keys.
  base::Result<std::vector<model::Sample>> load(base::AttemptId attempt) override;
  base::Status insertResultsEach(std::span<const AttemptResults> results) override;
  // The same sequence number again is dropped.
  base::Status appendLog(base::AttemptId attempt, const std::string& stream, std::uint32_t sequence,
                         const std::string& text) override;
  base::Result<ports::ReportData> report(base::CampaignId id) override;

 private:
  Session& session_;
  PostgresEventStore& events_;
};

// The columns that appendSamples() reads, in its order, as a statement's select list from
// sample_series q.
#define FM_SERIES_COLUMNS                                                              \
  "q.metric, q.first_index, q.indexes, unix_ns(q.t0), q.offsets_ns, q.sample_values, " \
  "q.verdicts, q.reasons, q.contexts"

// Adds the samples of one row of sample_series.
void appendSamples(RowReader& reader, std::vector<model::Sample>& out);
// By metric and index.
void sortSamples(std::vector<model::Sample>& samples);

}  // namespace fleetmark::coordinator::store
