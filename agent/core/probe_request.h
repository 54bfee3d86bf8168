// What the agent hands to its child `fleetmark-agent probe <name> --pipe` on standard input, so
// that nothing of it stands in an argument list that other users can read. JSON, one object, on one
// line; see probe_input.h for what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fleetmark::agent::core {

struct ProbeRequest {
  std::string probe;
  std::int64_t protocol = 0;
  std::string paramsJson = "{}";
  std::string placementJson = "{}";
};

// Below what a pipe takes without a reader, so that writing it never blocks.
inline constexpr std::size_t kMaxProbeRequest = 60'000;

// kInvalid: the two documents are no JSON objects, or all together are over kMaxProbeRequest.
base::Result<std::string> encodeProbeRequest(const ProbeRequest& request);
base::Result<ProbeRequest> decodeProbeRequest(std::string_view text);

}  // namespace fleetmark::agent::core
