#include "common/rpc/batch_stream.h"

#include <kj/debug.h>

#include <cstring>
#include <vector>

#include "common/rpc/kj_compat.h"

namespace fleetmark::rpc {
namespace {

constexpr size_t kFlushFrom = 16 * 1024;   // a full TLS record: waiting gains nothing more
constexpr size_t kDirectFrom = 16 * 1024;  // writes this large go by themselves, uncopied
constexpr size_t kMostHeld = 64 * 1024;    // with so much waiting, a writer waits too
// Held by every connection while it waits. A read of more than that goes straight to the caller.
constexpr size_t kReadAhead = 2 * 1024;
constexpr size_t kReadDirectFrom = kReadAhead;

FM_KJ_CLASS_BEGIN
class BatchStream final : public kj::AsyncIoStream {
 public:
  explicit BatchStream(kj::Own<kj::AsyncIoStream> inner) : inner_(kj::mv(inner)) {}
  KJ_DISALLOW_COPY(BatchStream);

  kj::Promise<size_t> tryRead(void* buffer, size_t minBytes, size_t maxBytes) override {
    return readOn(static_cast<kj::byte*>(buffer), minBytes, maxBytes, 0);
  }

  kj::Promise<void> write(const void* buffer, size_t size) override {
    const auto piece = kj::arrayPtr(static_cast<const kj::byte*>(buffer), size);
    if (size < kDirectFrom && fits(size)) {
      append(piece);
      return kj::READY_NOW;
    }
    return drained().then([this, buffer, size] { return inner_->write(buffer, size); });
  }

  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    size_t size = 0;
    for (const auto& piece : pieces) size += piece.size();
    if (size < kDirectFrom && fits(size)) {
      for (const auto& piece : pieces) append(piece);
      return kj::READY_NOW;
    }
    return drained().then([this, pieces] { return inner_->write(pieces); });
  }

  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }

  void shutdownWrite() override {
    ended_ = drained().then([this] { inner_->shutdownWrite(); }).eagerlyEvaluate([](auto&&) {});
  }
  void abortRead() override { inner_->abortRead(); }
  void getsockopt(int level, int option, void* value, kj::uint* length) override {
    inner_->getsockopt(level, option, value, length);
  }
  void setsockopt(int level, int option, const void* value, kj::uint length) override {
    inner_->setsockopt(level, option, value, length);
  }
  kj::Maybe<int> getFd() const override { return inner_->getFd(); }

 private:
  // What was read ahead, then, as long as it isn't enough, more.
  kj::Promise<size_t> readOn(kj::byte* buffer, size_t least, size_t most, size_t done) {
    const size_t ready = kj::min(ahead_.size(), most - done);
    if (ready > 0) {
      std::memcpy(buffer + done, ahead_.begin(), ready);
      ahead_ = ahead_.slice(ready, ahead_.size());
      done += ready;
    }
    if (done >= least) return done;
    if (most - done >= kReadDirectFrom) {
      return inner_->tryRead(buffer + done, least - done, most - done).then([done](size_t size) {
        return done + size;
      });
    }
    if (readBuffer_ == nullptr) readBuffer_ = kj::heapArray<kj::byte>(kReadAhead);
    return inner_->tryRead(readBuffer_.begin(), 1, readBuffer_.size())
        .then([this, buffer, least, most, done](size_t size) -> kj::Promise<size_t> {
          if (size == 0) return done;
          ahead_ = readBuffer_.slice(0, size);
          return readOn(buffer, least, most, done);
        });
  }

  // With a failure behind it a write takes the slow way, which rejects it.
  bool fits(size_t size) const { return !failed_ && held_.size() + size <= kMostHeld; }

  void append(kj::ArrayPtr<const kj::byte> bytes) {
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    if (flushing_) return;
    if (held_.size() >= kFlushFrom) {
      scheduled_ = false;
      startFlush(flush());
    } else if (!scheduled_) {
      scheduled_ = true;
      startFlush(kj::evalLast([this]() -> kj::Promise<void> {
        scheduled_ = false;
        return flushing_ ? kj::Promise<void>(kj::READY_NOW) : flush();
      }));
    }
  }

  void startFlush(kj::Promise<void> promise) {
    flushed_ = promise
                   .catch_([this](kj::Exception&& e) -> kj::Promise<void> {
                     failed_ = true;
                     flushing_ = false;
                     return kj::mv(e);
                   })
                   .fork();  // a fork runs also when nobody waits
  }

  kj::Promise<void> flush() {
    if (held_.empty()) {
      flushing_ = false;
      return kj::READY_NOW;
    }
    flushing_ = true;
    flying_.swap(held_);
    held_.clear();
    return inner_->write(flying_.data(), flying_.size()).then([this] { return flush(); });
  }

  // When all that was appended has been written.
  kj::Promise<void> drained() {
    if (auto* flushed = someOf(flushed_)) return flushed->addBranch();
    return kj::READY_NOW;
  }

  kj::Own<kj::AsyncIoStream> inner_;

  kj::Array<kj::byte> readBuffer_;
  kj::ArrayPtr<kj::byte> ahead_;  // in readBuffer_, not yet taken

  std::vector<kj::byte> held_;
  std::vector<kj::byte> flying_;  // being written
  bool scheduled_ = false;
  bool flushing_ = false;
  bool failed_ = false;
  kj::Maybe<kj::ForkedPromise<void>> flushed_;
  kj::Promise<void> ended_ = kj::READY_NOW;
};
FM_KJ_CLASS_END

}  // namespace

kj::Own<kj::AsyncIoStream> newBatchStream(kj::Own<kj::AsyncIoStream> inner) {
  return kj::heap<BatchStream>(kj::mv(inner));
}

}  // namespace fleetmark::rpc
