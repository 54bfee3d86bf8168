// Whole Cap'n Proto messages as bytes in the standard stream framing.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstring>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/rpc/wire_limits.h"

namespace fleetmark::rpc {

std::string flatten(capnp::MessageBuilder& message);

// Calls fn(Root::Reader) on the message in `bytes`, with the limits of wire_limits.h set. What
// Cap'n Proto refuses is kInvalid.
template <typename Root, typename Fn>
auto readFlat(std::string_view bytes, std::string_view what, Fn&& fn)
    -> decltype(fn(std::declval<typename Root::Reader>())) {
  // Cap'n Proto itself reads nothing at all as a message of defaults.
  if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0) {
    return base::invalid(std::string(what) + " is no whole number of words");
  }
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));  // aligned
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kTraversalWords;
  options.nestingLimit = kNestingLimit;
  using Out = decltype(fn(std::declval<typename Root::Reader>()));
  try {
    capnp::FlatArrayMessageReader reader(words, options);
    return fn(reader.getRoot<Root>());
  } catch (const kj::Exception& e) {
    return Out(base::invalid(std::string(what) + " is damaged: " + e.getDescription().cStr()));
  }
}

}  // namespace fleetmark::rpc
