// What passes between coordinator and agent about one attempt. Plain values; the codecs in
// common/rpc are the only place that knows their wire form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/units.h"
#include "common/model/host.h"
#include "common/model/sample.h"

namespace fleetmark::model {

// Names one lease. Every write of an agent carries it; an older epoch is fenced.
struct LeaseRef {
  base::StepId step;
  std::int32_t epoch = 0;
  std::string token;  // 16 random bytes; a secret of this lease, not logged
  bool operator==(const LeaseRef&) const = default;
};

struct AgentHello {
  base::AgentId agent;  // from the certificate on the coordinator's side, see AgentGateway
  std::string name;
  std::string version;
  Labels labels;                    // host facts merged with the agent's config
  std::vector<std::string> probes;  // capabilities: probe names with their protocol, "cpu/1"
  HostFacts host;
  std::string instanceNonce;     // one per start of the agent process
  std::int64_t wallClockNs = 0;  // the agent's clock, for the recorded offset
};

enum class QuietOtherwise { kMark, kFail };

// What an agent waits for before it starts a probe.
struct QuietSpec {
  double loadPerCpu = 0.3;  // tasks that run or want to, per CPU
  base::Nanos wait{0};      // at most
  QuietOtherwise otherwise = QuietOtherwise::kMark;
  bool operator==(const QuietSpec&) const = default;
};

struct Assignment {
  LeaseRef lease;
  base::AttemptId attempt;
  base::CampaignId campaign;
  std::string campaignName;
  std::string runner;
  std::string stepName;
  std::string probe;
  std::int64_t protocol = 0;
  std::string paramsJson;
  std::string placementJson;
  base::Nanos leaseTtl{0};
  base::Nanos timeLimit{0};
  base::Nanos noProgressLimit{0};
  std::optional<QuietSpec> quiet;
  std::string
      group;  // empty: none; else the agent arrives at its barrier before it starts the probe
};

// How the coordinator answers an agent that stands at a group's barrier.
//   kBegin: all members are there; kWait: not yet, ask again; kReleased: a member did not come in
//   time, the attempt ends and the step gets another; kLost: the lease is no longer this agent's.
enum class ArriveAnswer { kBegin, kWait, kReleased, kLost };

enum class RenewAnswer { kRenewed, kLost, kCancel };

// A numbered piece of an attempt's samples. Numbers begin at 0 without gaps; sent again with the
// same content it is a duplicate and harmless.
struct SampleChunk {
  std::uint32_t number = 0;
  std::vector<Sample> samples;
  bool operator==(const SampleChunk&) const = default;
};

// The end of an attempt, sent after its chunks.
struct Completion {
  Outcome outcome = Outcome::kMeasured;
  std::string message;           // empty when measured
  std::uint32_t chunkCount = 0;  // how many chunks belong to the attempt
  std::vector<Notice> notices;
  std::string environmentBeforeJson = "{}";
  std::string environmentAfterJson = "{}";
  std::string quietJson;  // what was seen while waiting for a quiet host; empty: not asked
  bool operator==(const Completion&) const = default;
};

// How the coordinator answers a chunk or a completion.
//   kOk: stored now; kDuplicate: stored before, same content; both: drop it from the spool.
//   kFenced: a newer epoch exists or the step is over: drop it.
//   kUnknown: no such attempt: drop it.
//   kMissing: (completion only) chunks are missing: send them again, then complete.
enum class IngestAnswer { kOk, kDuplicate, kFenced, kUnknown, kMissing };

std::string_view toString(IngestAnswer answer);
std::string_view toString(RenewAnswer answer);
std::string_view toString(ArriveAnswer answer);
std::string_view toString(QuietOtherwise word);  // mark, fail
std::optional<QuietOtherwise> parseQuietOtherwise(std::string_view word);

}  // namespace fleetmark::model
