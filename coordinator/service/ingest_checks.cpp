#include "coordinator/service/ingest_checks.h"

#include "common/probes/spec.h"

namespace fleetmark::coordinator::service {

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

}  // namespace fleetmark::coordinator::service
