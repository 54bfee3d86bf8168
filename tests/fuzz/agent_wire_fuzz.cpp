// What agents and coordinator send each other. The first byte chooses the type, the rest is a
// message in the stream framing.
#include "common/rpc/agent_wire_codec.h"
#include "tests/fuzz/message_fuzz.h"

namespace fleetmark::fuzz {
namespace {

template <typename Root>
void check(std::string_view bytes) {
  roundTrip<Root>(
      bytes, [](typename Root::Reader wire) { return rpc::fromWire(wire); },
      [](const auto& model, typename Root::Builder out) { rpc::toWire(model, out); });
}

void checkHello(std::string_view bytes) {
  roundTrip<schema::AgentHello>(
      bytes, [](schema::AgentHello::Reader wire) { return rpc::fromWire(wire, base::AgentId()); },
      [](const auto& model, schema::AgentHello::Builder out) { rpc::toWire(model, out); });
}

// Codes that any version may send.
void checkAnswers(std::string_view bytes) {
  for (char byte : bytes.substr(0, 16)) {
    auto code = static_cast<std::uint16_t>(static_cast<unsigned char>(byte));
    (void)answered(rpc::fromWire(static_cast<schema::RenewAnswer>(code)));
    (void)answered(rpc::fromWire(static_cast<schema::ArriveAnswer>(code)));
    (void)answered(rpc::fromWire(static_cast<schema::IngestAnswer>(code)));
    (void)answered(rpc::fromWire(static_cast<schema::Outcome>(code)));
  }
}

}  // namespace
}  // namespace fleetmark::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  if (size == 0) return 0;
  auto bytes = fuzz::asText(data + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      fuzz::checkHello(bytes);
      break;
    case 1:
      fuzz::check<schema::Assignment>(bytes);
      break;
    case 2:
      fuzz::check<schema::SampleChunk>(bytes);
      break;
    case 3:
      fuzz::check<schema::Completion>(bytes);
      break;
    case 4:
      fuzz::check<schema::LeaseRef>(bytes);
      break;
    case 5:
      fuzz::check<schema::Sample>(bytes);
      break;
    case 6:
      fuzz::check<schema::Notice>(bytes);
      break;
    default:
      fuzz::checkAnswers(bytes);
  }
  return 0;
}
