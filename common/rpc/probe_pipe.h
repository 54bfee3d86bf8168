// What a probe's child process says on its pipe to the agent.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.h"
#include "common/model/sample.h"

namespace fleetmark::rpc {

struct ProbeProgress {
  std::string text;
};
struct ProbeDone {};  // the probe attempted all that was asked; the last event
struct ProbeFailed {  // the measurement failed; the last event
  base::Error error;
};

using ProbeEvent =
    std::variant<model::Sample, model::Notice, ProbeProgress, ProbeDone, ProbeFailed>;

std::string encodeProbeEvent(const ProbeEvent& event);

// Takes the pipe's bytes as they come and gives whole events. A child can't make it keep more than
// kMaxPending bytes. One owner, one thread.
class ProbePipeReader {
 public:
  static constexpr std::size_t kMaxPending = 4 * 1024 * 1024;

  // kInvalid when the bytes can't be the beginning of an event; the reader is useless then.
  base::Status feed(std::string_view bytes);
  // The next whole event; nullopt: more bytes are needed. kInvalid as for feed.
  base::Result<std::optional<ProbeEvent>> next();
  // True when no half event is pending: the pipe may end here.
  bool atBoundary() const { return pending_.size() == taken_; }

 private:
  std::string pending_;
  std::size_t taken_ = 0;
};

}  // namespace fleetmark::rpc
