// What stands on the standard input of `fleetmark-agent probe NAME --pipe`: the request on the
// first line, then a line each time the agent's lease was renewed, until the agent closes it. A
// child so knows by its own monotonic clock until when it may measure, also when the agent is
// stopped or hangs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/base/units.h"

namespace fleetmark::agent::core {

// `now` by the system's monotonic clock, which parent and child share.
std::string encodeLeaseLine(base::MonoTime now, base::Nanos safeFor);
// Until when the lease is safe; nullopt: no such line. Without the line's end.
std::optional<base::MonoTime> decodeLeaseLine(std::string_view line);

// The child's end. One owner, one thread.
class ProbeInput {
 public:
  // The text of the request. Input that ends without the end of a line is a request too, from
  // somebody who doesn't watch over the child. kInvalid: too long.
  base::Result<std::string> readRequest();

  // Call once after readRequest. A thread of its own sleeps until a line comes, and ends this
  // process with all that comes from it when the lease's time is over or the agent is gone. Does
  // nothing when the input has ended already.
  void watchLease();

 private:
  std::string rest_;  // read, but not part of the request
  bool ended_ = false;
};

}  // namespace fleetmark::agent::core
