#include "common/rpc/failure_log.h"

#include "common/base/log.h"

namespace fleetmark::rpc {

namespace {
constexpr std::size_t kMaxHosts = 1024;
}

void FailureLog::report(const std::string& host, const std::string& peer,
                        const std::string& reason) {
  if (hosts_.size() >= kMaxHosts) hosts_.clear();
  if (!hosts_.insert(host).second) return;
  base::log(base::LogLevel::kWarning, "rpc.handshake_failed",
            {{"peer", peer}, {"reason", reason}, {"more", "not logged until it succeeds"}});
}

void FailureLog::forget(const std::string& host) { hosts_.erase(host); }

}  // namespace fleetmark::rpc
