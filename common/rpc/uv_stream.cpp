#include "common/rpc/uv_stream.h"

#include <kj/debug.h>
#include <kj/vector.h>

#include <cstring>

#include "common/rpc/uv_error.h"

namespace fleetmark::rpc {
namespace {

// From this size on a read gets the bytes without a copy.
constexpr size_t kLendFrom = 16 * 1024;

}  // namespace

// Pending read; registered in the stream for as long as its promise lives.
class UvStream::ReadOp {
 public:
  ReadOp(kj::PromiseFulfiller<size_t>& fulfiller, UvStream& stream, char* buffer, size_t least,
         size_t most, size_t done)
      : fulfiller_(fulfiller),
        stream_(stream),
        buffer_(buffer),
        least_(least),
        most_(most),
        done_(done) {
    stream_.readOp_ = this;
    stream_.startReading();
  }
  ~ReadOp() noexcept(false) {
    if (stream_.readOp_ != this) return;
    detach();
    if (done_ > 0) stream_.keepLeftover(buffer_, done_);  // dropped half done
  }
  KJ_DISALLOW_COPY(ReadOp);

  char* free() { return buffer_ + done_; }
  size_t room() const { return most_ - done_; }
  void advance(size_t size) { done_ += size; }
  bool enough() const { return done_ >= least_; }
  void finish() {
    detach();
    fulfiller_.fulfill(kj::cp(done_));
  }
  void reject(kj::Exception&& exception) {
    detach();
    fulfiller_.reject(kj::mv(exception));
  }

 private:
  void detach() {
    if (stream_.readOp_ == this) stream_.readOp_ = nullptr;
  }

  kj::PromiseFulfiller<size_t>& fulfiller_;
  UvStream& stream_;
  char* buffer_;
  size_t least_;
  size_t most_;
  size_t done_;
};

// Queued write. The request's memory is libuv's until its callback, which may come after the
// stream is gone.
class UvStream::WriteOp {
 public:
  WriteOp(kj::PromiseFulfiller<void>& fulfiller, UvStream& stream, const uv_buf_t* buffers,
          size_t count)
      : fulfiller_(fulfiller), stream_(stream), request_(new Request{{}, this}) {
    request_->write.data = request_;
    const int status = uv_write(&request_->write, &stream_.handle_->stream, buffers,
                                static_cast<unsigned>(count), &WriteOp::onWritten);
    if (status < 0) {
      delete request_;
      request_ = nullptr;
      fulfiller_.reject(uvException(status, "write"));
    }
  }
  ~WriteOp() noexcept(false) {
    if (request_ == nullptr) return;
    request_->op = nullptr;
    stream_.fail(UV_ECANCELED);  // libuv still points at the caller's bytes: it must let go now
  }
  KJ_DISALLOW_COPY(WriteOp);

 private:
  struct Request {
    uv_write_t write;
    WriteOp* op;
  };

  static void onWritten(uv_write_t* write, int status) {
    auto* request = static_cast<Request*>(write->data);
    if (WriteOp* op = request->op) {
      op->request_ = nullptr;
      if (status < 0) {
        op->stream_.fail(status);
        op->fulfiller_.reject(uvException(status, "write"));
      } else {
        op->fulfiller_.fulfill();
      }
    }
    delete request;
  }

  kj::PromiseFulfiller<void>& fulfiller_;
  UvStream& stream_;
  Request* request_;
};

UvStream::UvStream(UvEventPort& port, UvHandle handle) : port_(port), handle_(kj::mv(handle)) {
  handle_->handle.data = this;
}

UvStream::~UvStream() noexcept(false) = default;

kj::Promise<size_t> UvStream::read(void* buffer, size_t minBytes, size_t maxBytes) {
  return tryRead(buffer, minBytes, maxBytes).then([minBytes](size_t size) -> kj::Promise<size_t> {
    if (size < minBytes) return KJ_EXCEPTION(DISCONNECTED, "the peer ended the stream early");
    return size;
  });
}

kj::Promise<size_t> UvStream::tryRead(void* buffer, size_t minBytes, size_t maxBytes) {
  KJ_REQUIRE(readOp_ == nullptr, "one read at a time");
  const size_t done = takeLeftover(static_cast<char*>(buffer), maxBytes);
  if (done >= minBytes || eof_) return done;
  if (failure_ < 0) return uvException(failure_, "read");
  return kj::newAdaptedPromise<size_t, ReadOp>(*this, static_cast<char*>(buffer), minBytes,
                                               maxBytes, done);
}

kj::Promise<void> UvStream::write(const void* buffer, size_t size) {
  uv_buf_t piece =
      uv_buf_init(const_cast<char*>(static_cast<const char*>(buffer)), static_cast<unsigned>(size));
  return writeBuffers(&piece, size == 0 ? 0 : 1);
}

kj::Promise<void> UvStream::write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) {
  uv_buf_t few[16];
  kj::Array<uv_buf_t> many;
  uv_buf_t* buffers = few;
  if (pieces.size() > kj::size(few)) {
    many = kj::heapArray<uv_buf_t>(pieces.size());
    buffers = many.begin();
  }
  size_t count = 0;
  for (const auto& piece : pieces) {
    if (piece.size() == 0) continue;
    buffers[count++] = uv_buf_init(const_cast<char*>(reinterpret_cast<const char*>(piece.begin())),
                                   static_cast<unsigned>(piece.size()));
  }
  return writeBuffers(buffers, count);
}

kj::Promise<void> UvStream::writeBuffers(uv_buf_t* buffers, size_t count) {
  if (failure_ < 0) return uvException(failure_, "write");
  if (count == 0) return kj::READY_NOW;
  const int status = uv_try_write(&handle_->stream, buffers, static_cast<unsigned>(count));
  if (status < 0 && status != UV_EAGAIN) {
    fail(status);
    return uvException(status, "write");
  }
  size_t sent = status < 0 ? 0 : static_cast<size_t>(status);
  while (count > 0 && sent >= buffers->len) {
    sent -= buffers->len;
    ++buffers;
    --count;
  }
  if (count == 0) return kj::READY_NOW;
  buffers->base += sent;
  buffers->len -= sent;
  return kj::newAdaptedPromise<void, WriteOp>(*this, buffers, count);
}

kj::Promise<void> UvStream::whenWriteDisconnected() {
  if (failure_ < 0) return kj::READY_NOW;
  if (someOf(failed_) == nullptr) {
    auto pair = kj::newPromiseAndFulfiller<void>();
    failedFulfiller_ = kj::mv(pair.fulfiller);
    failed_ = pair.promise.fork();
  }
  return someOf(failed_)->addBranch();
}

void UvStream::shutdownWrite() {
  if (handle_ == nullptr) return;
  auto* request = new uv_shutdown_t;
  const int status =
      uv_shutdown(request, &handle_->stream, [](uv_shutdown_t* done, int) { delete done; });
  if (status < 0) delete request;  // not connected any more: nothing to end
}

void UvStream::abortRead() { stopReading(); }

kj::Maybe<int> UvStream::getFd() const {
  uv_os_fd_t descriptor{};
  if (handle_ == nullptr || uv_fileno(&handle_->handle, &descriptor) != 0) return nullptr;
  return static_cast<int>(descriptor);
}

void UvStream::getsockopt(int level, int option, void* value, kj::uint* length) {
  const bool known = level == SOL_SOCKET && (option == SO_SNDBUF || option == SO_RCVBUF);
  if (!known || *length < sizeof(int)) {
    kj::throwFatalException(KJ_EXCEPTION(UNIMPLEMENTED, "only SO_SNDBUF and SO_RCVBUF"));
  }
  if (handle_ == nullptr) kj::throwFatalException(uvException(failure_, "getsockopt"));
  int size = 0;  // 0 asks
  uvCheck(option == SO_SNDBUF ? uv_send_buffer_size(&handle_->handle, &size)
                              : uv_recv_buffer_size(&handle_->handle, &size),
          "getsockopt");
  std::memcpy(value, &size, sizeof size);
  *length = sizeof size;
}

size_t UvStream::takeLeftover(char* target, size_t most) {
  const size_t size = kj::min(most, leftover_.size() - leftoverAt_);
  if (size == 0) return 0;
  std::memcpy(target, leftover_.begin() + leftoverAt_, size);
  leftoverAt_ += size;
  if (leftoverAt_ == leftover_.size()) {
    leftover_ = nullptr;
    leftoverAt_ = 0;
  }
  return size;
}

void UvStream::keepLeftover(const char* bytes, size_t size) {
  KJ_ASSERT(leftover_.size() == leftoverAt_, "read on while something was left");
  leftover_ = kj::heapArray<char>(bytes, size);
  leftoverAt_ = 0;
}

void UvStream::startReading() {
  stalls_ = 0;
  if (reading_) return;
  uvCheck(uv_read_start(&handle_->stream, &UvStream::onAlloc, &UvStream::onRead), "read");
  reading_ = true;
}

void UvStream::stopReading() {
  if (reading_) uv_read_stop(&handle_->stream);
  reading_ = false;
}

void UvStream::fail(int status) {
  if (failure_ == 0) failure_ = status;
  reading_ = false;
  handle_ = nullptr;
  if (readOp_ != nullptr) readOp_->reject(uvException(failure_, "read"));
  if (auto* fulfiller = someOf(failedFulfiller_)) (*fulfiller)->fulfill();
}

void UvStream::onAlloc(uv_handle_t* handle, size_t, uv_buf_t* out) {
  auto* self = static_cast<UvStream*>(handle->data);
  *out = uv_buf_init(nullptr, 0);  // libuv then reports UV_ENOBUFS
  if (self == nullptr) return;
  self->lent_ = false;
  if (ReadOp* op = self->readOp_) {
    if (op->room() >= kLendFrom) {
      self->lent_ = true;
      *out = uv_buf_init(op->free(), static_cast<unsigned>(op->room()));
      return;
    }
  } else if (self->leftover_.size() != self->leftoverAt_) {
    return;
  }
  auto scratch = self->port_.scratch();
  *out = uv_buf_init(scratch.begin(), static_cast<unsigned>(scratch.size()));
}

void UvStream::onRead(uv_stream_t* handle, ssize_t size, const uv_buf_t* buffer) {
  auto* self = static_cast<UvStream*>(handle->data);
  if (self == nullptr || size == 0) return;
  if (size == UV_ENOBUFS) {
    // Once is usual between two messages and not worth two system calls; twice is a slow reader.
    if (self->stalls_++ > 0) self->stopReading();
    return;
  }
  if (size == UV_EOF) {
    self->stopReading();
    self->eof_ = true;
    if (self->readOp_ != nullptr) self->readOp_->finish();
    return;
  }
  if (size < 0) {
    self->fail(static_cast<int>(size));
    return;
  }
  self->received(buffer->base, static_cast<size_t>(size));
}

void UvStream::received(const char* bytes, size_t size) {
  if (readOp_ == nullptr) {
    keepLeftover(bytes, size);
    return;
  }
  const size_t taken = kj::min(size, readOp_->room());
  if (!lent_) std::memcpy(readOp_->free(), bytes, taken);
  readOp_->advance(taken);
  if (taken < size) keepLeftover(bytes + taken, size - taken);
  if (readOp_->enough()) readOp_->finish();
}

}  // namespace fleetmark::rpc
