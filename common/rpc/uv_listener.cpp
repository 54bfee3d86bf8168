#include "common/rpc/uv_listener.h"

#include <kj/debug.h>

#include "common/base/log.h"
#include "common/rpc/uv_error.h"
#include "common/rpc/uv_socket_name.h"

namespace fleetmark::rpc {
namespace {

constexpr int kBacklog = 1024;

base::Error cannotListen(const UvAddress& address, int status) {
  const std::string what =
      "can't listen on " + address.toString() + ": " + std::string(uv_strerror(status));
  if (status == UV_EADDRINUSE) {
    return base::conflict(what + "; stop what uses it or choose another address");
  }
  if (status == UV_EACCES || status == UV_EPERM) {
    return base::denied(what + "; choose a port over 1023 or a folder of your own");
  }
  return base::unavailable(what + "; check that this machine has the address");
}

int bindTcp(uv_loop_t* loop, UvHandleBox& box, const UvAddress& address) {
  uv_getaddrinfo_t request;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  const int found = uv_getaddrinfo(loop, &request, nullptr, address.host.c_str(),
                                   std::to_string(address.port).c_str(), &hints);
  if (found < 0) return found;
  const int status = uv_tcp_bind(&box.tcp, request.addrinfo->ai_addr, 0);
  uv_freeaddrinfo(request.addrinfo);
  return status;
}

}  // namespace

base::Result<kj::Own<UvListener>> UvListener::listen(UvEventPort& port, const UvAddress& address) {
  const bool tcp = address.kind == UvAddress::Kind::kHostPort;
  const UvTransport transport = tcp ? UvTransport::kTcp : UvTransport::kUnix;
  UvHandle handle = makeUvHandle(port.uvLoop(), transport);
  const int bound = tcp ? bindTcp(port.uvLoop(), *handle, address)
                        : uv_pipe_bind(&handle->pipe, address.path.c_str());
  if (bound < 0) return cannotListen(address, bound);
  // Connections may come from here on; without an owner the callback leaves them pending.
  auto* stream = &handle->stream;
  const int listening = uv_listen(stream, kBacklog, &UvListener::onConnection);
  if (listening < 0) return cannotListen(address, listening);
  UvAddress real = address;
  if (tcp) {
    const auto name = socketName(handle->tcp);
    if (!name) return name.error();
    real.port = name->port;
  }
  return kj::heap<UvListener>(port, transport, kj::mv(handle), kj::mv(real));
}

UvListener::UvListener(UvEventPort& port, UvTransport transport, UvHandle handle, UvAddress bound)
    : port_(port), transport_(transport), handle_(kj::mv(handle)), bound_(kj::mv(bound)) {
  handle_->handle.data = this;
}

kj::Promise<UvAccepted> UvListener::accept() {
  auto pair = kj::newPromiseAndFulfiller<UvAccepted>();
  waiter_ = kj::mv(pair.fulfiller);
  if (pending_) hand();
  return kj::mv(pair.promise);
}

void UvListener::onConnection(uv_stream_t* handle, int status) {
  auto* self = static_cast<UvListener*>(handle->data);
  if (self == nullptr) return;
  if (status < 0) {  // this connection is lost, the listener goes on
    base::log(base::LogLevel::kWarning, "rpc.accept_failed", {{"reason", uv_strerror(status)}});
    return;
  }
  self->pending_ = true;
  self->hand();
}

void UvListener::hand() {
  auto* waiter = someOf(waiter_);
  if (waiter == nullptr || !(*waiter)->isWaiting()) return;
  pending_ = false;
  UvHandle handle = makeUvHandle(port_.uvLoop(), transport_);
  if (uv_accept(&handle_->stream, &handle->stream) < 0) return;
  UvAccepted accepted;
  accepted.host = accepted.peer = "unix";
  if (transport_ == UvTransport::kTcp) {
    tuneSocket(handle->tcp);
    const auto name = peerName(handle->tcp);
    accepted.host = name ? name->host : "unknown";
    accepted.peer = name ? name->toString() : "unknown";
  }
  accepted.stream = kj::refcounted<UvStream>(port_, kj::mv(handle));
  auto fulfiller = kj::mv(*waiter);
  waiter_ = nullptr;
  fulfiller->fulfill(kj::mv(accepted));
}

}  // namespace fleetmark::rpc
