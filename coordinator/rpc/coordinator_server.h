// The coordinator's RPC side as a whole: the listener, who may come in, which gateway a role gets,
// the reaper's clock. Runs on the calling thread until a stop is asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/crypto/certificate.h"
#include "common/rpc/tls_identity.h"
#include "coordinator/ports/operator_port.h"
#include "coordinator/ports/store.h"
#include "coordinator/service/settings.h"

namespace fleetmark::coordinator::rpc {

struct CoordinatorServerOptions {
  std::string listen;  // host:port; port 0: any free one
  fleetmark::rpc::TlsIdentity tls;
  crypto::CertificateAuthority authority;
  service::Settings settings;
  // A database connection for a worker thread; called on that thread.
  std::function<std::unique_ptr<ports::Database>()> openDatabase;
  // A listener for what other coordinators on the same database change; empty: there are none.
  std::function<std::unique_ptr<ports::ChangeListener>()> openListener;
  // Any thread; report/ does the work.
  std::function<base::Result<ports::RenderedReport>(const ports::ReportData&, ports::ReportFormat)>
      render;
  // Called once when connections are accepted, with the address that was bound.
  std::function<void(const std::string&)> ready;
  // Asked a few times a second; true ends the server.
  std::function<bool()> stopRequested;
};

// kInvalid: address or certificate; kConflict: the address is in use. Ok after a stop.
base::Status runCoordinatorServer(const CoordinatorServerOptions& options,
                                  const base::Clock& clock);

}  // namespace fleetmark::coordinator::rpc
