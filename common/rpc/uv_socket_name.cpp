#include "common/rpc/uv_socket_name.h"

#include <string>

namespace fleetmark::rpc {
namespace {

constexpr unsigned kKeepAliveSeconds = 60;

base::Result<UvAddress> named(int status, const sockaddr_storage& name) {
  if (status < 0) {
    return base::unavailable(std::string("the socket has no address: ") + uv_strerror(status));
  }
  return toAddress(reinterpret_cast<const sockaddr&>(name));
}

}  // namespace

base::Result<UvAddress> socketName(const uv_tcp_t& handle) {
  sockaddr_storage name{};
  int size = sizeof name;
  return named(uv_tcp_getsockname(&handle, reinterpret_cast<sockaddr*>(&name), &size), name);
}

base::Result<UvAddress> peerName(const uv_tcp_t& handle) {
  sockaddr_storage name{};
  int size = sizeof name;
  return named(uv_tcp_getpeername(&handle, reinterpret_cast<sockaddr*>(&name), &size), name);
}

base::Result<UvAddress> toAddress(const sockaddr& name) {
  UvAddress address;
  char text[64] = {};
  if (name.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
    uv_ip4_name(&v4, text, sizeof text);
    address.port = ntohs(v4.sin_port);
  } else if (name.sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
    uv_ip6_name(&v6, text, sizeof text);
    address.port = ntohs(v6.sin6_port);
  } else {
    return base::unsupported("a socket address that is neither IPv4 nor IPv6");
  }
  address.host = text;
  return address;
}

void tuneSocket(uv_tcp_t& handle) {
  uv_tcp_nodelay(&handle, 1);
  uv_tcp_keepalive(&handle, 1, kKeepAliveSeconds);
}

}  // namespace fleetmark::rpc
