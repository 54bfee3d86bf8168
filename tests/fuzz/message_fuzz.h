// The way of one message: decoded, encoded, decoded, encoded; both encodings must be equal.
#pragma once

#include <capnp/message.h>

#include <string_view>
#include <utility>

#include "common/rpc/message_bytes_codec.h"
#include "tests/fuzz/target.h"

namespace fleetmark::fuzz {

// `decode` takes a Reader of Root, `encode` a value and a Builder of Root.
template <typename Root, typename Decode, typename Encode>
void roundTrip(std::string_view bytes, Decode decode, Encode encode) {
  auto value = rpc::readFlat<Root>(bytes, "a message", decode);
  if (!answered(value)) return;
  auto encoded = [&](const auto& model) {
    capnp::MallocMessageBuilder message;
    encode(model, message.initRoot<Root>());
    return rpc::flatten(message);
  };
  auto first = encoded(*value);
  auto second = encoded(
      sure(rpc::readFlat<Root>(first, "a message", decode), "what was accepted is accepted again"));
  require(first == second, "what was accepted comes back the same");
}

}  // namespace fleetmark::fuzz
