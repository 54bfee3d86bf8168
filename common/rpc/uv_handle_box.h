// A libuv handle in a heap block of its own. libuv uses a handle until the close callback, which
// comes after its owner is gone: so the owner holds the block by UvHandle, whose deleter cuts the
// way back (data = null) and closes; the close callback frees the block.
#pragma once

#include <uv.h>

#include <memory>

#include "common/rpc/uv_error.h"

namespace fleetmark::rpc {

enum class UvTransport { kTcp, kUnix };

// `handle.data` is the owner or null: every callback looks there first.
union UvHandleBox {
  uv_handle_t handle;
  uv_stream_t stream;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
};

struct UvHandleCloser {
  void operator()(UvHandleBox* box) const {
    box->handle.data = nullptr;
    uv_close(&box->handle,
             [](uv_handle_t* handle) { delete reinterpret_cast<UvHandleBox*>(handle); });
  }
};
using UvHandle = std::unique_ptr<UvHandleBox, UvHandleCloser>;

inline UvHandle makeUvHandle(uv_loop_t* loop, UvTransport transport) {
  auto box = std::make_unique<UvHandleBox>();
  switch (transport) {
    case UvTransport::kTcp:
      uvCheck(uv_tcp_init(loop, &box->tcp), "uv_tcp_init");
      break;
    case UvTransport::kUnix:
      uvCheck(uv_pipe_init(loop, &box->pipe, 0), "uv_pipe_init");
      break;
  }
  box->handle.data = nullptr;
  return UvHandle(box.release());
}

}  // namespace fleetmark::rpc
