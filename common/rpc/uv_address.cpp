#include "common/rpc/uv_address.h"

#include <charconv>

namespace fleetmark::rpc {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::size_t kMaxUnixPath = 107;  // sockaddr_un on Linux, without the closing zero
constexpr std::size_t kMaxHost = 253;      // RFC 1035

base::Error refuse(std::string_view text, std::string_view why) {
  return base::invalid("address \"" + std::string(text.substr(0, 300)) + "\": " + std::string(why) +
                       "; write host:port, [IPv6]:port or unix:/path");
}

}  // namespace

base::Result<UvAddress> UvAddress::parse(std::string_view text) {
  UvAddress address;
  if (text.starts_with(kUnixPrefix)) {
    const std::string_view path = text.substr(kUnixPrefix.size());
    if (path.empty() || path[0] != '/' || path.find('\0') != std::string_view::npos) {
      return refuse(text, "a socket's path must be absolute");
    }
    if (path.size() > kMaxUnixPath) return refuse(text, "a socket's path has at most 107 bytes");
    address.kind = Kind::kUnix;
    address.path = path;
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse(text, "no port");
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (host.find(':') == std::string_view::npos) return refuse(text, "not IPv6 in the brackets");
  } else if (host.find(':') != std::string_view::npos) {
    return refuse(text, "IPv6 needs brackets");
  }
  if (host.empty() || host.size() > kMaxHost || host.find('\0') != std::string_view::npos) {
    return refuse(text, "no usable host");
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return refuse(text, "the port is not a number from 0 to 65535");
  }
  address.host = host;
  return address;
}

std::string UvAddress::toString() const {
  switch (kind) {
    case Kind::kUnix:
      return std::string(kUnixPrefix) + path;
    case Kind::kHostPort:
      break;
  }
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace fleetmark::rpc
