// Everything the services ask of the database. One UnitOfWork is one transaction; nothing is
// stored until commit() returned ok. Not thread-safe: each worker thread owns one Database.
//
// Errors: kUnavailable (connection lost, server away: the whole unit may be tried again; a commit
// in doubt is kUnavailable too, and every use case is idempotent), kConflict (serialisation or
// lock time-out), kNotFound, kInternal. Times are the database's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/units.h"
#include "common/model/campaign.h"
#include "common/model/work.h"
#include "common/stats/summary.h"
#include "coordinator/domain/group.h"
#include "coordinator/domain/quarantine.h"
#include "coordinator/domain/states.h"
#include "coordinator/domain/why.h"
#include "coordinator/ports/views.h"

namespace fleetmark::coordinator::ports {

struct NewCampaign {
  model::Plan plan;
  std::string yaml;        // as submitted, after variables
  std::string requestKey;  // empty: none
  std::string submittedBy;
  std::int32_t maxAttempts = 3;
};

enum class JobRef { kJob, kStep };

class CampaignStore {
 public:
  virtual ~CampaignStore() = default;
  // Campaign, runners, profiles, jobs, steps and dependencies. A requestKey seen before answers
  // the campaign it made then.
  virtual base::Result<base::CampaignId> insert(const NewCampaign& campaign) = 0;
  // `ref`: an id in decimal, or a name (its newest campaign). kNotFound with the nearest names.
  virtual base::Result<base::CampaignId> resolve(const std::string& ref) = 0;
  virtual base::Result<CampaignSummary> summary(base::CampaignId id) = 0;
  virtual base::Result<std::vector<CampaignSummary>> list(std::uint32_t limit) = 0;  // newest first
  // By position; without `waiting`, which follows from whyFacts().
  virtual base::Result<std::vector<StepStatus>> steps(base::CampaignId id) = 0;
  // Why steps wait, of all that do or of one job's.
  virtual base::Result<domain::WhyFacts> whyFacts(base::CampaignId id,
                                                  std::optional<base::JobId> job,
                                                  base::Nanos onlineWindow) = 0;
  // A job by its id or by that of one of its steps; its steps without their reasons.
  virtual base::Result<JobReasons> job(std::int64_t id, JobRef ref) = 0;
  // Locks the row until the unit ends.
  virtual base::Result<domain::CampaignState> lockState(base::CampaignId id) = 0;
  virtual base::Status setState(base::CampaignId id, domain::CampaignState state) = 0;
  // True when it was otherwise before; then the event campaign.paused or campaign.resumed follows.
  virtual base::Result<bool> setPaused(base::CampaignId id, Pausing pausing) = 0;
  // Campaigns that are not terminal although every job is (a crash between two transactions).
  virtual base::Result<std::vector<base::CampaignId>> finishable() = 0;
};

// One step as the state machines need it, with row locks held until the unit ends.
struct StepSnapshot {
  base::StepId step;
  base::JobId job;
  base::CampaignId campaign;
  domain::StepState state = domain::StepState::kBlocked;
  std::int32_t epoch = 0;
  std::int32_t attempts = 0;
  std::int32_t maxAttempts = 3;
  std::string probe;
  std::uint32_t requestedSamples = 0;  // per metric
  bool inGroup = false;
  // Of the live lease, if any.
  std::optional<domain::LeaseState> lease;
  std::string leaseToken;
  bool leaseExpired = false;  // by the database's clock
  // Of the attempt with the epoch asked for.
  std::optional<base::AttemptId> attempt;
  bool attemptEnded = false;
  std::string attemptBodySha256;  // of the accepted completion; empty: none
  base::AgentId attemptAgent;
  base::Nanos attemptAge{0};  // since it was claimed
  domain::AgentRecord agentRecord;
};

// The group of a step whose job is locked.
struct GroupSnapshot {
  std::int64_t group = 0;
  std::string name;
  domain::GroupState state = domain::GroupState::kOpen;
  bool timeUp = false;  // by the database's clock: its members have gathered for too long
  std::vector<base::StepId> steps;
  std::vector<domain::GroupMember> members;  // by place in `steps`
};

struct StepEpoch {
  base::StepId step;
  std::int32_t epoch = 0;
};

struct ClaimRequest {
  base::AgentId agent;
  std::int64_t session = 0;  // session epoch from registration; an older one gets nothing
  base::Nanos leaseTtl{0};
};

// Steps of one runner and capability that are due now.
struct ReadyWork {
  model::Labels match;      // of the runner
  std::string capability;   // "cpu/1"
  std::uint32_t steps = 0;  // at most kMostReady are counted
  static constexpr std::uint32_t kMostReady = 256;
};

struct StepEnd {
  base::StepId step;
  std::int32_t epoch = 0;
  domain::StepState newState = domain::StepState::kReady;    // of the step
  model::Outcome outcome = model::Outcome::kInfrastructure;  // of the attempt
  std::string message;
  std::string bodySha256;     // empty when no completion arrived (expired)
  base::Nanos retryDelay{0};  // with newState = kReady
  std::vector<model::Notice> notices;
  std::string environmentBeforeJson = "{}";
  std::string environmentAfterJson = "{}";
  std::string quietJson;  // empty: the agent was not asked to wait for a quiet host
};

class QueueStore {
 public:
  virtual ~QueueStore() = default;
  // At most one step for each agent: ready, due, labels and probes match, host relations hold, and
  // no live lease on the agent's machine. Moves step ready->leased, raises the epoch, makes the
  // attempt and the lease. Empty: nothing to do. kConflict: another claim won, try again.
  virtual base::Result<std::vector<std::optional<model::Assignment>>> claimEach(
      std::span<const ClaimRequest> requests) = 0;
  base::Result<std::optional<model::Assignment>> claim(const ClaimRequest& request);
  // What is due, whoever may do it; what a single claim also asks for (host relations, free
  // machines) is left out. In the order of campaigns.
  virtual base::Result<std::vector<ReadyWork>> readyWork() = 0;
  // Locks steps, leases and the attempts with those epochs, all at once and in an order in which
  // two callers don't wait for each other. Empty: no such step.
  virtual base::Result<std::vector<std::optional<StepSnapshot>>> lockEach(
      std::span<const StepEpoch> steps) = 0;
  base::Result<StepSnapshot> lock(base::StepId step, std::int32_t epoch);  // kNotFound
  // Ends the attempts and their leases, stores the new states of the steps, which are different
  // ones; where a step is terminal its dependants move as well (ready with their delay, or
  // cancelled), and the jobs' states follow.
  virtual base::Status endEach(std::span<const StepEnd> ends) = 0;
  base::Status end(const StepEnd& end) { return endEach({&end, 1}); }
  virtual base::Result<std::vector<model::RenewAnswer>> renew(
      const base::AgentId& agent, std::span<const model::LeaseRef> leases, base::Nanos ttl) = 0;
  // (step, epoch) of leases past their time, at most `limit`, skipping rows locked by others.
  virtual base::Result<std::vector<std::pair<base::StepId, std::int32_t>>> expired(
      std::uint32_t limit) = 0;
  // The three below need the job locked, see lock(). Empty: the step is in no group.
  virtual base::Result<std::optional<GroupSnapshot>> group(base::StepId step) = 0;
  virtual base::Status arrive(base::StepId step, std::int32_t epoch) = 0;
  // Stores the group's new state and does what `move` asks for with its other members.
  virtual base::Status moveGroup(const GroupSnapshot& group, const domain::GroupStep& move) = 0;
  // (step, epoch) of one leased member each of groups whose time is up, at most `limit`.
  virtual base::Result<std::vector<std::pair<base::StepId, std::int32_t>>> lateGroups(
      std::uint32_t limit) = 0;
  // Cancels every step that isn't leased or terminal, marks live leases kCancelling; returns how
  // many leases are still live. `message`: why, for people.
  virtual base::Result<std::uint32_t> cancelCampaign(base::CampaignId id,
                                                     const std::string& message) = 0;
  // Campaigns over their time limit that nobody has cancelled yet.
  virtual base::Result<std::vector<base::CampaignId>> lateCampaigns() = 0;
  // Of jobs over their time limit: cancels what waits, and has what runs cancelled by its agent,
  // with a notice. Returns the campaigns of which steps have ended.
  virtual base::Result<std::vector<base::CampaignId>> cancelLateJobs() = 0;
  // True when every job of the campaign is terminal.
  virtual base::Result<bool> allJobsEnded(base::CampaignId id) = 0;
  // True when fewer than `few` are not. Cheap however many there are.
  virtual base::Result<bool> fewJobsOpen(base::CampaignId id, std::uint32_t few) = 0;
};

class SampleStore {
 public:
  virtual ~SampleStore() = default;
  struct AttemptChunk {
    base::AttemptId attempt;
    const model::SampleChunk* chunk = nullptr;
  };
  // One chunk of each of different attempts. kOk, kDuplicate (same number and content) or kFenced
  // (same number, other content).
  virtual base::Result<std::vector<model::IngestAnswer>> appendEach(
      std::span<const AttemptChunk> chunks) = 0;
  base::Result<model::IngestAnswer> append(base::AttemptId attempt,
                                           const model::SampleChunk& chunk);
  struct ChunkCount {
    base::AttemptId attempt;
    std::uint32_t limit = 0;
    std::uint32_t stored = 0;  // chunks of the attempt
    std::uint32_t below = 0;   // those of them with numbers below `limit`
  };
  // Fills in `stored` and `below`; an attempt may be there once only.
  virtual base::Status countChunks(std::span<ChunkCount> counts) = 0;
  // Chunk numbers below `count` that are absent.
  virtual base::Result<std::vector<std::uint32_t>> missing(base::AttemptId attempt,
                                                           std::uint32_t count) = 0;
  // All samples of an attempt, by metric and index.
  virtual base::Result<std::vector<model::Sample>> load(base::AttemptId attempt) = 0;
  struct MetricResult {
    std::string metric;
    model::Unit unit;
    model::Better better;
    bool headline = false;
    std::uint32_t requested = 0;
    std::uint32_t attempted = 0;
    stats::Summary summary;  // over the samples with verdict ok; n may be 0
  };
  struct AttemptResults {
    base::AttemptId attempt;
    std::vector<MetricResult> metrics;
  };
  virtual base::Status insertResultsEach(std::span<const AttemptResults> results) = 0;
  base::Status insertResults(base::AttemptId attempt, std::span<const MetricResult> results);
  virtual base::Status appendLog(base::AttemptId attempt, const std::string& stream,
                                 std::uint32_t sequence, const std::string& text) = 0;
  virtual base::Result<ReportData> report(base::CampaignId id) = 0;
};

struct Registration {
  base::AgentId agent;
  std::int64_t session = 0;
};

// An agent goes into quarantine with the end of an attempt.
struct Quarantine {
  base::AgentId agent;
  std::string reason;
  base::CampaignId campaign;  // of the attempt, like step and attempt
  base::StepId step;
  base::AttemptId attempt;
  std::int32_t fastFailures = 0;  // how many attempts in a row, this one included
  std::int32_t mostAttempts = 0;  // that a step is given in all
  base::Nanos onlineWindow{0};
};

class AgentStore {
 public:
  virtual ~AgentStore() = default;
  // Inserts or updates agent, host and environment, raises the session epoch. Leases of an earlier
  // session of the same agent process that it can't know of any more expire at once when the
  // nonce differs.
  virtual base::Result<Registration> registerAgent(const model::AgentHello& hello) = 0;
  virtual base::Status heartbeat(const base::AgentId& agent, std::int64_t session) = 0;
  virtual base::Status disconnected(const base::AgentId& agent, std::int64_t session) = 0;
  // Online: a heartbeat within `window`.
  virtual base::Result<std::vector<AgentView>> list(base::Nanos window) = 0;
  // `ref`: an id, or a name that one agent alone has. kNotFound with the nearest names; kInvalid
  // with the ids where several have it.
  virtual base::Result<base::AgentId> resolve(const std::string& ref) = 0;
  virtual base::Result<AgentView> view(const base::AgentId& agent, base::Nanos window) = 0;
  virtual base::Status set(const base::AgentId& agent, AgentWish wish) = 0;
  virtual base::Status setFastFailures(const base::AgentId& agent, std::int32_t count) = 0;
  // With the event agent.quarantined. Steps of the attempts in the row that another agent online
  // can do get those attempts back. Answers how many attempts `step` is allowed now.
  virtual base::Result<std::int32_t> quarantine(const Quarantine& quarantine) = 0;
};

struct Credential {
  std::string serial;   // hexadecimal, as in the certificate
  std::string role;     // agent | operator | coordinator
  std::string subject;  // uuid
  std::string name;
  std::optional<base::WallTime> expiresAt;
  bool revoked = false;
};

class CredentialStore {
 public:
  virtual ~CredentialStore() = default;
  virtual base::Status insert(const Credential& credential) = 0;
  virtual base::Result<std::optional<Credential>> find(const std::string& serial) = 0;
};

class EventStore {
 public:
  virtual ~EventStore() = default;
  virtual base::Status append(base::CampaignId campaign, base::StepId step, const std::string& kind,
                              const std::string& dataJson) = 0;
  // Events after `cursor` ("" from the beginning), oldest first, at most `limit`. Only events that
  // no transaction still running can precede, so a reader that goes on from the last cursor misses
  // none.
  virtual base::Result<std::vector<CampaignEvent>> after(base::CampaignId campaign,
                                                         const std::string& cursor,
                                                         std::uint32_t limit) = 0;
  // Wakes the listeners of other coordinators once the unit commits. In a small unit of its own and
  // seldom: PostgreSQL commits units that notify one after the other.
  virtual base::Status announce(const std::string& sender) = 0;
};

// Hears what other coordinators on the same database announce. A hint: whoever relies on it looks
// from time to time as well. One thread at a time.
class ChangeListener {
 public:
  virtual ~ChangeListener() = default;
  // True: somebody else than `self` announced something since the last call. Waits at most
  // `limit`. kUnavailable: the connection was lost or can't be made; what was announced meanwhile
  // is not known.
  virtual base::Result<bool> wait(const std::string& self, base::Nanos limit) = 0;
};

class UnitOfWork {
 public:
  virtual ~UnitOfWork() = default;  // rolls back unless committed
  virtual CampaignStore& campaigns() = 0;
  virtual QueueStore& queue() = 0;
  virtual SampleStore& samples() = 0;
  virtual AgentStore& agents() = 0;
  virtual CredentialStore& credentials() = 0;
  virtual EventStore& events() = 0;
  virtual base::Status commit() = 0;
};

// kSynchronous for everything that must not be lost or handed out twice; kRelaxed
// (synchronous_commit=off) for renewals, heartbeats, progress and log chunks only.
enum class Durability { kSynchronous, kRelaxed };

class Database {
 public:
  virtual ~Database() = default;
  // Connects again where the connection was lost.
  virtual base::Result<std::unique_ptr<UnitOfWork>> begin(
      Durability durability = Durability::kSynchronous) = 0;
  // One read-only statement as the role fleetmark_reader, with its timeouts. kInvalid carries
  // PostgreSQL's own message.
  virtual base::Result<Table> query(const std::string& statement, std::uint32_t maxRows) = 0;
};

}  // namespace fleetmark::coordinator::ports
