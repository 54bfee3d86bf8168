// Ends of attempts: many at a time with as many statements as one.
#include <optional>
#include <set>
#include <utility>

#include "common/base/check.h"
#include "common/crypto/digest.h"
#include "common/probes/spec.h"
#include "common/stats/summary.h"
#include "coordinator/domain/completion.h"
#include "coordinator/service/ingest.h"
#include "coordinator/service/ingest_checks.h"
#include "coordinator/service/quarantine.h"
#include "coordinator/service/step_end.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

using model::IngestAnswer;
using Reply = base::Result<IngestReply>;

// Whether a campaign has ended is only looked at when so few of its jobs are open. More than the
// ends that can be under way at the same moment, of which none sees the others.
constexpr std::uint32_t kFewJobs = 100;

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

struct Open {
  std::size_t place = 0;
  const Delivery* delivery = nullptr;
  std::string bodySha256;
  ports::StepSnapshot snapshot;
};

struct Together {
  std::vector<std::optional<Reply>> replies;  // by place; empty: has to be done alone
  std::set<base::CampaignId> ended;           // perhaps
};

// Decides and stores deliveries within one unit.
class Ends {
 public:
  Ends(ports::UnitOfWork& unit, const Settings& settings, std::span<const Delivery> deliveries)
      : unit_(unit), settings_(settings), deliveries_(deliveries) {}

  base::Result<Together> run() {
    out_.replies.resize(deliveries_.size());
    FM_TRY(decide());
    FM_TRY(storeLastChunks());
    FM_TRY(findMissing());
    FM_TRY(storeResults());
    FM_TRY(endSteps());
    return std::move(out_);
  }

 private:
  void answer(std::size_t place, IngestReply reply) { out_.replies[place] = std::move(reply); }

  // What moves other steps or the agent itself is done alone, so that what a batch locks and
  // changes is no more than its own jobs.
  bool mustBeAlone(const Delivery& delivery, const ports::StepSnapshot& snapshot) const {
    const bool plain = delivery.completion.outcome == model::Outcome::kMeasured ||
                       delivery.completion.outcome == model::Outcome::kMeasurement;
    return !plain || snapshot.inGroup || changesAgent(settings_, delivery.completion, snapshot);
  }

  base::Status decide() {
    std::vector<ports::StepEpoch> wanted;
    for (const auto& each : deliveries_) wanted.push_back({each.lease.step, each.lease.epoch});
    FM_TRY_ASSIGN(auto locked, unit_.queue().lockEach(wanted));
    std::set<base::StepId> seen;
    for (std::size_t place = 0; place < deliveries_.size(); ++place) {
      const Delivery& delivery = deliveries_[place];
      auto& snapshot = locked[place];
      if (!snapshot) {
        answer(place, {IngestAnswer::kUnknown, {}});
        continue;
      }
      if (!seen.insert(snapshot->step).second) continue;  // what the other one stores counts
      std::string sha256 = completionSha256(delivery.completion);
      auto decided =
          domain::decideCompletion(storedAttempt(*snapshot, delivery.who, delivery.lease), sha256);
      // A duplicate also finishes the campaign: the first delivery may have died just before.
      if (decided == IngestAnswer::kDuplicate) out_.ended.insert(snapshot->campaign);
      if (decided != IngestAnswer::kOk) {
        answer(place, {decided, {}});
        continue;
      }
      if (deliveries_.size() > 1 && mustBeAlone(delivery, *snapshot)) continue;
      if (delivery.lastChunk) {
        if (auto good = checkChunk(snapshot->probe, *delivery.lastChunk); !good) {
          out_.replies[place] = good.error();
          continue;
        }
      }
      open_.push_back({place, &delivery, std::move(sha256), std::move(*snapshot)});
    }
    return {};
  }

  base::Status storeLastChunks() {
    std::vector<ports::SampleStore::AttemptChunk> chunks;
    std::vector<std::size_t> places;
    for (const auto& each : open_) {
      if (!each.delivery->lastChunk) continue;
      chunks.push_back({*each.snapshot.attempt, &*each.delivery->lastChunk});
      places.push_back(each.place);
    }
    if (chunks.empty()) return {};
    FM_TRY_ASSIGN(auto stored, unit_.samples().appendEach(chunks));
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (stored[i] == IngestAnswer::kFenced) answer(places[i], {stored[i], {}});
    }
    dropAnswered();
    return {};
  }

  base::Status findMissing() {
    for (const auto& each : open_) {
      counts_.push_back({*each.snapshot.attempt, each.delivery->completion.chunkCount});
    }
    if (counts_.empty()) return {};
    FM_TRY(unit_.samples().countChunks(counts_));
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (counts_[i].below == counts_[i].limit) continue;
      FM_TRY_ASSIGN(auto missing, unit_.samples().missing(counts_[i].attempt, counts_[i].limit));
      answer(open_[i].place, {IngestAnswer::kMissing, std::move(missing)});
    }
    std::erase_if(counts_, [](const auto& count) { return count.below != count.limit; });
    dropAnswered();
    return {};
  }

  base::Status storeResults() {
    std::vector<ports::SampleStore::AttemptResults> results;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const auto& each = open_[i];
      if (each.delivery->completion.outcome != model::Outcome::kMeasured &&
          each.delivery->completion.outcome != model::Outcome::kMeasurement) {
        continue;
      }
      const auto& last = each.delivery->lastChunk;
      if (last && counts_[i].stored == 1) {  // it is all there is
        results.push_back({counts_[i].attempt, summariseAttempt(each.snapshot, last->samples)});
      } else {
        FM_TRY_ASSIGN(auto samples, unit_.samples().load(counts_[i].attempt));
        results.push_back({counts_[i].attempt, summariseAttempt(each.snapshot, samples)});
      }
    }
    return unit_.samples().insertResultsEach(results);
  }

  base::Status endSteps() {
    std::vector<EndingStep> ends;
    std::set<base::CampaignId> campaigns;
    for (auto& each : open_) {
      const model::Completion& completion = each.delivery->completion;
      FM_TRY(judgeAgent(unit_, settings_, completion, each.snapshot));
      ports::StepEnd end;
      end.outcome = completion.outcome;
      end.message = completion.message;
      end.bodySha256 = each.bodySha256;
      end.notices = completion.notices;
      end.environmentBeforeJson = completion.environmentBeforeJson;
      end.environmentAfterJson = completion.environmentAfterJson;
      end.quietJson = completion.quietJson;
      ends.push_back({&each.snapshot, domain::eventOf(completion.outcome), std::move(end)});
      campaigns.insert(each.snapshot.campaign);
      answer(each.place, {IngestAnswer::kOk, {}});
    }
    FM_TRY(service::endSteps(unit_, std::move(ends)));
    for (auto campaign : campaigns) {
      FM_TRY_ASSIGN(bool few, unit_.queue().fewJobsOpen(campaign, kFewJobs));
      if (few) out_.ended.insert(campaign);
    }
    return {};
  }

  void dropAnswered() {
    std::erase_if(open_, [this](const Open& each) { return out_.replies[each.place].has_value(); });
  }

  ports::UnitOfWork& unit_;
  const Settings& settings_;
  std::span<const Delivery> deliveries_;
  std::vector<Open> open_;
  std::vector<ports::SampleStore::ChunkCount> counts_;  // of open_, from findMissing() on
  Together out_;
};

base::Result<Together> endTogether(ports::Database& database, const Settings& settings,
                                   std::span<const Delivery> deliveries) {
  auto done = inUnit(database, ports::Durability::kSynchronous, [&](ports::UnitOfWork& unit) {
    return Ends(unit, settings, deliveries).run();
  });
  if (!done) return done;
  for (auto campaign : done->ended) {
    // The result is stored; a failure here is made good by the reaper.
    (void)finishCampaign(database, campaign);
  }
  return done;
}

}  // namespace

base::Result<IngestReply> complete(ports::Database& database, const Settings& settings,
                                   const Delivery& delivery) {
  FM_TRY_ASSIGN(auto done, endTogether(database, settings, {&delivery, 1}));
  FM_CHECK(done.replies.size() == 1 && done.replies[0]);
  return std::move(*done.replies[0]);
}

std::vector<base::Result<IngestReply>> completeEach(ports::Database& database,
                                                    const Settings& settings,
                                                    std::span<const Delivery> deliveries) {
  std::vector<std::optional<Reply>> replies(deliveries.size());
  if (deliveries.size() > 1) {
    auto together = endTogether(database, settings, deliveries);
    if (together) {
      replies = std::move(together->replies);
    } else if (together.error().code == base::ErrorCode::kUnavailable) {
      replies.assign(deliveries.size(), Reply(together.error()));
    }  // else one of them can't be stored, which must not harm the others
  }
  std::vector<Reply> out;
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    out.push_back(replies[i] ? std::move(*replies[i])
                             : complete(database, settings, deliveries[i]));
  }
  return out;
}

}  // namespace fleetmark::coordinator::service
