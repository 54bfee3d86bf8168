// A real coordinator as a child, with a private PostgreSQL in a folder that goes with it, and its
// operator on the benchmark's loop.
#pragma once

#include <kj/async.h>
#include <kj/debug.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/platform/process.h"
#include "common/rpc/client_link.h"
#include "common/rpc/tls_identity.h"
#include "common/rpc/uv_event_port.h"

namespace fleetmark::bench {

// In a benchmark on KJ's loop every failure ends the run: thrown as kj::Exception, which promises
// carry, and reported by main.
inline void need(const base::Error& error) { KJ_FAIL_REQUIRE("failed", error.message.c_str()); }
template <typename T>
T need(base::Result<T>&& result) {
  if (!result) need(result.error());
  return std::move(result).value();
}
inline void need(const base::Status& status) {
  if (!status) need(status.error());
}

struct CampaignEnd {
  std::string state;
  std::uint32_t measured = 0;
};

class StepsFleet {
 public:
  // Starts the program and returns when the operator is connected. The data stands below `parent`
  // (empty: the system's temporary folder).
  StepsFleet(rpc::UvLoop& loop, const std::string& program, const std::string& parent);
  ~StepsFleet();
  KJ_DISALLOW_COPY(StepsFleet);

  const std::string& address() const { return address_; }
  const std::string& folder() const { return folder_; }
  std::int64_t coordinatorPid() const { return process_->pid(); }
  // A new key and the certificate for it.
  rpc::TlsIdentity enrol(const std::string& name);
  // A campaign of `steps` selftest steps that any agent may do.
  kj::Promise<std::int64_t> submit(std::size_t steps);
  CampaignEnd end(std::int64_t campaign);
  // Follows a campaign's events for ever, as `fleetmark watch` does; counts them in `seen`.
  kj::Promise<void> watch(std::int64_t campaign, std::size_t& seen);
  void cancel(std::int64_t campaign);

 private:
  kj::Promise<void> watchFrom(std::int64_t campaign, std::string cursor, std::size_t& seen);
  void start(const std::string& program);
  void connect();

  rpc::UvLoop& loop_;
  std::string folder_;
  std::string address_;
  std::unique_ptr<platform::Process> process_;
  kj::Own<rpc::TlsEndpoint> tls_;
  kj::Own<rpc::ClientLink> link_;
  kj::Maybe<schema::OperatorGateway::Client> operator_;
};

}  // namespace fleetmark::bench
