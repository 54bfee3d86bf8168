// What the agent needs of its coordinator. The session, the heartbeat and the uploader call it from
// threads of their own; agent/rpc implements it, tests script it.
//
// Every call blocks until it is answered, the connection is lost or stop() is called, and may be
// made from any thread at any time. Error codes of all calls:
//   kUnavailable  not connected, connection lost before the answer, or stopped: try again later;
//                 whether the coordinator did it is unknown, so every call may be sent twice
//   kOverloaded   the coordinator is busy: try again with a pause
//   kDenied       this certificate may not do that: an operator must act
//   others        the coordinator's own answer; its message is for people
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/units.h"
#include "common/model/work.h"

namespace fleetmark::agent::core {

struct SessionInfo {
  base::AgentId agent;       // from the certificate
  base::Nanos heartbeat{0};  // renew at least this often, with leases or without
};

struct TakeReply {
  std::optional<model::Assignment> assignment;
  std::string reason;  // without an assignment: why there is none
};

struct IngestReply {
  model::IngestAnswer answer = model::IngestAnswer::kOk;
  std::vector<std::uint32_t> missing;  // with kMissing: chunk numbers to send again
};

class CoordinatorPort {
 public:
  virtual ~CoordinatorPort() = default;

  // Connects when there is no connection. From then on the implementation registers again by
  // itself on each new connection, with this hello and a fresh wallClockNs.
  virtual base::Result<SessionInfo> registerAgent(const model::AgentHello& hello) = 0;

  // Answers as soon as there is work, or without any after `wait`.
  virtual base::Result<TakeReply> takeWork(base::Nanos wait) = 0;

  // The heartbeat. One answer per lease, in their order. Must not queue behind other calls.
  virtual base::Result<std::vector<model::RenewAnswer>> renew(
      std::span<const model::LeaseRef> leases) = 0;

  virtual base::Result<IngestReply> appendSamples(const model::LeaseRef& lease,
                                                  const model::SampleChunk& chunk) = 0;
  // `lastChunk`: null, or the last chunk of the attempt, delivered together with its end.
  virtual base::Result<IngestReply> complete(const model::LeaseRef& lease,
                                             const model::Completion& completion,
                                             const model::SampleChunk* lastChunk) = 0;

  // This agent stands ready to begin its member of a group. Answers at the latest after `wait`.
  virtual base::Result<model::ArriveAnswer> arrive(const model::LeaseRef& lease,
                                                   base::Nanos wait) = 0;

  // What the probe does now. May be dropped.
  virtual base::Status progress(const model::LeaseRef& lease, const std::string& text) = 0;

  // Text of the attempt's log; `stream` is "stderr" or "agent", `sequence` grows by one per call
  // and stream.
  virtual base::Result<IngestReply> log(const model::LeaseRef& lease, const std::string& stream,
                                        std::uint32_t sequence, const std::string& text) = 0;

  // Ends every call under way and refuses later ones, all with kUnavailable. Idempotent.
  virtual void stop() = 0;
};

}  // namespace fleetmark::agent::core
