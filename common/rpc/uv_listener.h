#pragma once

#include <kj/async.h>

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/rpc/uv_address.h"
#include "common/rpc/uv_event_port.h"
#include "common/rpc/uv_handle_box.h"
#include "common/rpc/uv_stream.h"

namespace fleetmark::rpc {

struct UvAccepted {
  kj::Own<UvStream> stream;
  std::string host;  // "192.0.2.7"; "unix" on a Unix socket
  std::string peer;  // with the port
};

// Accepts only while somebody awaits accept(); what comes meanwhile waits in the kernel's queue.
class UvListener {
 public:
  // Resolves a host name by blocking, so use it before the loop is busy. A Unix socket's file must
  // not be there yet and is removed at the end. kConflict: in use; kDenied; kUnavailable: no such
  // host or address on this machine.
  static base::Result<kj::Own<UvListener>> listen(UvEventPort& port, const UvAddress& address);
  UvListener(UvEventPort& port, UvTransport transport, UvHandle handle, UvAddress bound);
  KJ_DISALLOW_COPY(UvListener);

  kj::Promise<UvAccepted> accept();                  // one at a time; may be dropped
  const UvAddress& bound() const { return bound_; }  // with the real port

 private:
  static void onConnection(uv_stream_t* handle, int status);
  void hand();

  UvEventPort& port_;
  UvTransport transport_;
  UvHandle handle_;
  UvAddress bound_;
  bool pending_ = false;  // libuv holds one connection and polls no more until it is taken
  kj::Maybe<kj::Own<kj::PromiseFulfiller<UvAccepted>>> waiter_;
};

}  // namespace fleetmark::rpc
