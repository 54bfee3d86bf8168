// What a probe's process reads on its standard input.
#include "agent/core/probe_request.h"

#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  auto request = agent::core::decodeProbeRequest(fuzz::asText(data, size));
  if (!fuzz::answered(request)) return 0;
  auto text = agent::core::encodeProbeRequest(*request);
  if (!fuzz::answered(text)) return 0;  // over what fits into a pipe
  auto again = agent::core::decodeProbeRequest(*text);
  const auto& same = fuzz::sure(again, "what was accepted is accepted again");
  fuzz::require(same.probe == request->probe && same.protocol == request->protocol &&
                    same.paramsJson == request->paramsJson &&
                    same.placementJson == request->placementJson,
                "a request comes back the same", *text);
  return 0;
}
