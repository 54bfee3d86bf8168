#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "agent/platform/socket_queue.h"

namespace fleetmark::agent {

std::optional<std::int64_t> unacknowledgedBytes(int socket) {
  int waiting = 0;
  if (::ioctl(socket, SIOCOUTQ, &waiting) != 0) return std::nullopt;
  return waiting;
}

}  // namespace fleetmark::agent
