// What the command and the coordinator send each other. The first byte chooses the type, the rest
// is a message in the stream framing.
#include "coordinator/rpc/operator_wire_codec.h"
#include "tests/fuzz/message_fuzz.h"

namespace fleetmark::fuzz {
namespace {

template <typename Root>
void check(std::string_view bytes) {
  roundTrip<Root>(
      bytes, [](typename Root::Reader wire) { return coordinator::rpc::fromWire(wire); },
      [](const auto& model, typename Root::Builder out) { coordinator::rpc::toWire(model, out); });
}

// Codes that any version may send.
void checkCodes(std::string_view bytes) {
  using Gateway = schema::OperatorGateway;
  for (char byte : bytes.substr(0, 16)) {
    auto code = static_cast<std::uint16_t>(static_cast<unsigned char>(byte));
    (void)answered(coordinator::rpc::fromWire(static_cast<Gateway::ReportFormat>(code)));
    (void)answered(coordinator::rpc::fromWire(static_cast<Gateway::Role>(code)));
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
      fuzz::check<schema::CampaignSummary>(bytes);
      break;
    case 1:
      fuzz::check<schema::StepStatus>(bytes);
      break;
    case 2:
      fuzz::check<schema::CampaignEvent>(bytes);
      break;
    case 3:
      fuzz::check<schema::AgentStatus>(bytes);
      break;
    case 4:
      fuzz::check<schema::Table>(bytes);
      break;
    case 5:
      fuzz::check<schema::OperatorGateway::SubmitRequest>(bytes);
      break;
    default:
      fuzz::checkCodes(bytes);
  }
  return 0;
}
