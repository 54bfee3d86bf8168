#pragma once

#include <set>
#include <string>

namespace fleetmark::rpc {

// Logs a host's first failed handshake and is silent about the next ones, until the host comes in:
// a scanner or an agent that was revoked would fill the log.
class FailureLog {
 public:
  void report(const std::string& host, const std::string& peer, const std::string& reason);
  void forget(const std::string& host);

 private:
  std::set<std::string> hosts_;
};

}  // namespace fleetmark::rpc
