#include "common/rpc/uv_connector.h"

#include <kj/debug.h>

#include <cstring>
#include <deque>
#include <string>

#include "common/rpc/uv_error.h"
#include "common/rpc/uv_handle_box.h"
#include "common/rpc/uv_socket_name.h"
#include "common/rpc/uv_stream.h"

namespace fleetmark::rpc {
namespace {

using Stream = kj::Own<kj::AsyncIoStream>;
using Candidates = std::deque<sockaddr_storage>;

// Both operations leave their request behind when they are dropped: libuv owns its memory until
// the callback, which finds op null and frees it.
class ResolveOp {
 public:
  ResolveOp(kj::PromiseFulfiller<Candidates>& fulfiller, UvEventPort& port,
            const UvAddress& address)
      : fulfiller_(fulfiller), request_(new Request{{}, this}) {
    request_->resolve.data = request_;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    const int status =
        uv_getaddrinfo(port.uvLoop(), &request_->resolve, &ResolveOp::onResolved,
                       address.host.c_str(), std::to_string(address.port).c_str(), &hints);
    if (status < 0) {
      delete request_;
      request_ = nullptr;
      fulfiller_.reject(uvException(status, "resolve"));
    }
  }
  ~ResolveOp() noexcept(false) {
    if (request_ == nullptr) return;
    request_->op = nullptr;
    uv_cancel(reinterpret_cast<uv_req_t*>(&request_->resolve));  // fails once it runs: no matter
  }
  KJ_DISALLOW_COPY(ResolveOp);

 private:
  struct Request {
    uv_getaddrinfo_t resolve;
    ResolveOp* op;
  };

  static void onResolved(uv_getaddrinfo_t* resolve, int status, addrinfo* found) {
    auto* request = static_cast<Request*>(resolve->data);
    if (ResolveOp* op = request->op) {
      op->request_ = nullptr;
      if (status < 0) {
        op->fulfiller_.reject(uvException(status, "resolve"));
      } else {
        Candidates candidates;
        for (addrinfo* info = found; info != nullptr; info = info->ai_next) {
          if (info->ai_addrlen > sizeof(sockaddr_storage)) continue;
          std::memcpy(&candidates.emplace_back(), info->ai_addr, info->ai_addrlen);
        }
        op->fulfiller_.fulfill(kj::mv(candidates));
      }
    }
    uv_freeaddrinfo(found);
    delete request;
  }

  kj::PromiseFulfiller<Candidates>& fulfiller_;
  Request* request_;
};

class ConnectOp {
 public:
  ConnectOp(kj::PromiseFulfiller<Stream>& fulfiller, UvEventPort& port, sockaddr_storage address)
      : ConnectOp(fulfiller, port, UvTransport::kTcp) {
    const int status = uv_tcp_connect(&request_->connect, &handle_->tcp,
                                      reinterpret_cast<const sockaddr*>(&address), &onConnected);
    if (status < 0) {
      delete request_;
      request_ = nullptr;
      fulfiller_.reject(uvException(status, "connect"));
    }
  }
  ConnectOp(kj::PromiseFulfiller<Stream>& fulfiller, UvEventPort& port, const std::string& path)
      : ConnectOp(fulfiller, port, UvTransport::kUnix) {
    uv_pipe_connect(&request_->connect, &handle_->pipe, path.c_str(), &onConnected);
  }
  ~ConnectOp() noexcept(false) {
    if (request_ != nullptr) request_->op = nullptr;
  }
  KJ_DISALLOW_COPY(ConnectOp);

 private:
  struct Request {
    uv_connect_t connect;
    ConnectOp* op;
  };

  ConnectOp(kj::PromiseFulfiller<Stream>& fulfiller, UvEventPort& port, UvTransport transport)
      : fulfiller_(fulfiller),
        port_(port),
        transport_(transport),
        handle_(makeUvHandle(port.uvLoop(), transport)),
        request_(new Request{{}, this}) {
    request_->connect.data = request_;
  }

  static void onConnected(uv_connect_t* connect, int status) {
    auto* request = static_cast<Request*>(connect->data);
    if (ConnectOp* op = request->op) {
      op->request_ = nullptr;
      op->finish(status);
    }
    delete request;
  }

  void finish(int status) {
    if (status < 0) {
      fulfiller_.reject(uvException(status, "connect"));
      return;
    }
    if (transport_ == UvTransport::kTcp) tuneSocket(handle_->tcp);
    fulfiller_.fulfill(kj::refcounted<UvStream>(port_, kj::mv(handle_)));
  }

  kj::PromiseFulfiller<Stream>& fulfiller_;
  UvEventPort& port_;
  UvTransport transport_;
  UvHandle handle_;
  Request* request_;
};

kj::Promise<Stream> connectAny(UvEventPort& port, Candidates candidates) {
  if (candidates.empty()) return KJ_EXCEPTION(DISCONNECTED, "the host has no address");
  const sockaddr_storage first = candidates.front();
  candidates.pop_front();
  auto connected = kj::newAdaptedPromise<Stream, ConnectOp>(port, first);
  if (candidates.empty()) return connected;
  return connected.then(
      [](Stream stream) -> kj::Promise<Stream> { return kj::mv(stream); },
      [&port, rest = kj::mv(candidates)](kj::Exception&&) mutable -> kj::Promise<Stream> {
        return connectAny(port, kj::mv(rest));
      });
}

}  // namespace

kj::Promise<Stream> uvConnect(UvEventPort& port, const UvAddress& address) {
  switch (address.kind) {
    case UvAddress::Kind::kUnix:
      return kj::newAdaptedPromise<Stream, ConnectOp>(port, address.path);
    case UvAddress::Kind::kHostPort:
      break;
  }
  return kj::newAdaptedPromise<Candidates, ResolveOp>(port, address)
      .then([&port](Candidates candidates) { return connectAny(port, kj::mv(candidates)); });
}

}  // namespace fleetmark::rpc
