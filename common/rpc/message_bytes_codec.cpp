#include "common/rpc/message_bytes_codec.h"

namespace fleetmark::rpc {

std::string flatten(capnp::MessageBuilder& message) {
  auto words = capnp::messageToFlatArray(message);
  auto bytes = words.asBytes();
  return std::string(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
}

}  // namespace fleetmark::rpc
