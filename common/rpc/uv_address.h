#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fleetmark::rpc {

// Where to listen or to connect: "host:port", "[IPv6]:port" or "unix:/path".
struct UvAddress {
  enum class Kind { kHostPort, kUnix };
  Kind kind = Kind::kHostPort;
  std::string host;  // a name or a numeric address, without brackets
  std::uint16_t port = 0;
  std::string path;

  // kInvalid says what is wrong with the text.
  static base::Result<UvAddress> parse(std::string_view text);
  std::string toString() const;  // parses back
};

}  // namespace fleetmark::rpc
