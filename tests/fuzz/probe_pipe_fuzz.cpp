// What a probe writes on its pipe. Cut at any place, the same bytes are the same events.
#include "common/rpc/probe_pipe.h"

#include <string>

#include "tests/fuzz/target.h"

namespace fleetmark::fuzz {
namespace {

struct Read {
  std::string events;  // each encoded again
  bool failed = false;
};

// `piece`: bytes fed at a time.
Read readAll(std::string_view bytes, std::size_t piece) {
  Read out;
  rpc::ProbePipeReader reader;
  for (std::size_t at = 0; at < bytes.size() && !out.failed; at += piece) {
    if (!reader.feed(bytes.substr(at, piece))) {
      out.failed = true;
      break;
    }
    for (;;) {
      auto event = reader.next();
      if (!answered(event)) {
        out.failed = true;
        break;
      }
      if (!*event) break;
      out.events += rpc::encodeProbeEvent(**event);
    }
  }
  return out;
}

}  // namespace
}  // namespace fleetmark::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  auto bytes = fuzz::asText(data, size);
  auto whole = fuzz::readAll(bytes, bytes.size());
  auto pieces = fuzz::readAll(bytes, 7);
  fuzz::require(whole.events == pieces.events && whole.failed == pieces.failed,
                "the way the bytes come does not matter");
  auto again = fuzz::readAll(whole.events, whole.events.size());
  fuzz::require(!again.failed && again.events == whole.events, "events come back the same");
  return 0;
}
