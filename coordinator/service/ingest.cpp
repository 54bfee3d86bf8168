#include "coordinator/service/ingest.h"

#include <optional>

#include "common/crypto/digest.h"
#include "common/probes/spec.h"
#include "common/stats/summary.h"
#include "coordinator/domain/completion.h"
#include "coordinator/service/quarantine.h"
#include "coordinator/service/step_end.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

using model::IngestAnswer;

// Whether a campaign has ended is only looked at when so few of its jobs are open. More than the
// ends that can be under way at the same moment, of which none sees the others.
constexpr std::uint32_t kFewJobs = 100;

domain::StoredAttempt storedAttempt(const ports::StepSnapshot& snapshot,
                                    const ports::Registration& who, const model::LeaseRef& lease) {
  domain::StoredAttempt stored;
  bool ownAttempt = snapshot.attempt && snapshot.attemptAgent == who.agent;
  bool liveLease = snapshot.lease && snapshot.epoch == lease.epoch;
  bool token = !liveLease || snapshot.leaseToken == lease.token;
  stored.known = ownAttempt && token ? domain::AttemptKnown::kYes : domain::AttemptKnown::kNo;
  stored.step = snapshot.state;
  stored.stepEpoch = snapshot.epoch;
  stored.epoch = lease.epoch;
  stored.acceptedSha256 = snapshot.attemptBodySha256;
  return stored;
}

// Length-prefixed, so that no two different completions have the same text.
std::string completionSha256(const model::Completion& completion) {
  crypto::Sha256 digest;
  auto add = [&digest](std::string_view text) {
    digest.update(std::to_string(text.size()) + ":");
    digest.update(text);
  };
  add(model::toString(completion.outcome));
  add(completion.message);
  add(std::to_string(completion.chunkCount));
  for (const auto& notice : completion.notices) {
    add(notice.stage);
    add(notice.message);
  }
  add(completion.environmentBeforeJson);
  add(completion.environmentAfterJson);
  add(completion.quietJson);
  return digest.finish();
}

// One result a metric of the probe, also where no sample of it was taken: what is missing shows.
std::vector<ports::SampleStore::MetricResult> summariseAttempt(
    const ports::StepSnapshot& snapshot, const std::vector<model::Sample>& samples) {
  std::vector<ports::SampleStore::MetricResult> out;
  const auto* spec = probes::findSpec(snapshot.probe);
  if (spec == nullptr) return out;
  for (const auto& metric : spec->metrics) {
    ports::SampleStore::MetricResult result;
    result.metric = metric.name;
    result.unit = metric.unit;
    result.better = metric.better;
    result.headline = metric.headline;
    result.requested = snapshot.requestedSamples;
    std::vector<double> values;
    for (const auto& sample : samples) {
      if (sample.metric != metric.name) continue;
      ++result.attempted;
      if (sample.verdict == model::Verdict::kOk && sample.value) values.push_back(*sample.value);
    }
    result.summary = stats::summarise(values);
    out.push_back(std::move(result));
  }
  return out;
}

base::Status checkChunk(const std::string& probe, const model::SampleChunk& chunk) {
  const auto* spec = probes::findSpec(probe);
  if (spec == nullptr) {
    return base::unsupported("probe '" + probe + "' is not known to this coordinator");
  }
  for (const auto& sample : chunk.samples) {
    if (spec->metric(sample.metric) == nullptr) {
      return base::invalid("probe '" + probe + "' has no metric '" + sample.metric +
                           "'; do agent and coordinator have the same version?");
    }
  }
  return {};
}

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

base::Result<IngestReply> complete(ports::Database& database, const Settings& settings,
                                   const ports::Registration& who, const model::LeaseRef& lease,
                                   const model::Completion& completion,
                                   const model::SampleChunk* lastChunk) {
  std::string bodySha256 = completionSha256(completion);
  base::CampaignId campaign;
  bool ended = false;  // perhaps
  auto reply = inUnit(
      database, ports::Durability::kSynchronous,
      [&](ports::UnitOfWork& unit) -> base::Result<IngestReply> {
        ended = false;
        FM_TRY_ASSIGN(auto snapshot, lockKnown(unit, lease));
        if (!snapshot) return IngestReply{IngestAnswer::kUnknown, {}};
        campaign = snapshot->campaign;
        auto answer = domain::decideCompletion(storedAttempt(*snapshot, who, lease), bodySha256);
        // A duplicate also finishes the campaign: the first delivery may have died just before.
        ended = answer == IngestAnswer::kDuplicate;
        if (answer != IngestAnswer::kOk) return IngestReply{answer, {}};
        if (lastChunk != nullptr) {
          FM_TRY(checkChunk(snapshot->probe, *lastChunk));
          FM_TRY_ASSIGN(auto stored, unit.samples().append(*snapshot->attempt, *lastChunk));
          if (stored == IngestAnswer::kFenced) return IngestReply{stored, {}};
        }
        FM_TRY_ASSIGN(auto missing,
                      unit.samples().missing(*snapshot->attempt, completion.chunkCount));
        if (!missing.empty()) return IngestReply{IngestAnswer::kMissing, std::move(missing)};
        if (completion.outcome == model::Outcome::kMeasured ||
            completion.outcome == model::Outcome::kMeasurement) {
          FM_TRY_ASSIGN(auto samples, unit.samples().load(*snapshot->attempt));
          FM_TRY(unit.samples().insertResults(*snapshot->attempt,
                                              summariseAttempt(*snapshot, samples)));
        }
        FM_TRY(judgeAgent(unit, settings, completion, *snapshot));
        ports::StepEnd end;
        end.outcome = completion.outcome;
        end.message = completion.message;
        end.bodySha256 = bodySha256;
        end.notices = completion.notices;
        end.environmentBeforeJson = completion.environmentBeforeJson;
        end.environmentAfterJson = completion.environmentAfterJson;
        end.quietJson = completion.quietJson;
        FM_TRY(endStep(unit, *snapshot, domain::eventOf(completion.outcome), std::move(end)));
        FM_TRY_ASSIGN(ended, unit.queue().fewJobsOpen(campaign, kFewJobs));
        return IngestReply{IngestAnswer::kOk, {}};
      });
  if (reply && ended) {
    // The result is stored; a failure here is made good by the reaper.
    (void)finishCampaign(database, campaign);
  }
  return reply;
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
