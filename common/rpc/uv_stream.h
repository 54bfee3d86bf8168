#pragma once

#include <kj/async-io.h>
#include <kj/refcount.h>
#include <uv.h>

#include <cstddef>

#include "common/rpc/kj_compat.h"
#include "common/rpc/uv_event_port.h"
#include "common/rpc/uv_handle_box.h"

namespace fleetmark::rpc {

FM_KJ_CLASS_BEGIN
// A connected TCP or Unix socket. One read and one write at a time, as KJ asks.
//
// A read may be dropped: what has come stays for the next one. A queued write that is dropped
// closes the socket, since nobody could say how much of it was sent.
//
// Counted, so that a socket can outlive the TLS stream on it: make it with kj::refcounted.
class UvStream final : public kj::AsyncIoStream, public kj::Refcounted {
 public:
  UvStream(UvEventPort& port, UvHandle handle);
  ~UvStream() noexcept(false);
  KJ_DISALLOW_COPY(UvStream);

  kj::Promise<size_t> read(void* buffer, size_t minBytes, size_t maxBytes) override;
  kj::Promise<size_t> tryRead(void* buffer, size_t minBytes, size_t maxBytes) override;
  kj::Promise<void> write(const void* buffer, size_t size) override;
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override;
  kj::Promise<void> whenWriteDisconnected() override;
  void shutdownWrite() override;
  void abortRead() override;
  kj::Maybe<int> getFd() const override;
  // Only the sizes of the socket's buffers: SO_SNDBUF is the window of streaming calls.
  void getsockopt(int level, int option, void* value, kj::uint* length) override;

 private:
  class ReadOp;
  class WriteOp;

  kj::Promise<void> writeBuffers(uv_buf_t* buffers, size_t count);
  size_t takeLeftover(char* target, size_t most);
  void keepLeftover(const char* bytes, size_t size);
  void startReading();
  void stopReading();
  void fail(int status);  // the socket is of no more use
  static void onAlloc(uv_handle_t* handle, size_t suggested, uv_buf_t* out);
  static void onRead(uv_stream_t* handle, ssize_t size, const uv_buf_t* buffer);
  void received(const char* bytes, size_t size);

  UvEventPort& port_;
  UvHandle handle_;  // null: closed by fail() or a dropped write
  ReadOp* readOp_ = nullptr;
  // What came while nobody read. Not read on while it is there, so at most one scratch buffer.
  kj::Array<char> leftover_;
  size_t leftoverAt_ = 0;
  bool reading_ = false;  // uv_read_start() is on
  bool lent_ = false;     // libuv reads straight into readOp_'s buffer
  bool eof_ = false;
  int stalls_ = 0;   // data waited in the kernel and nobody read
  int failure_ = 0;  // libuv status that ended the stream; 0: none
  kj::Maybe<kj::ForkedPromise<void>> failed_;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> failedFulfiller_;
};
FM_KJ_CLASS_END

}  // namespace fleetmark::rpc
