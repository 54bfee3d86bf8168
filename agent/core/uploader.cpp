#include "agent/core/uploader.h"

#include <algorithm>

#include "common/base/log.h"

namespace fleetmark::agent::core {

using base::ErrorCode;
using base::LogLevel;
using model::IngestAnswer;

Uploader::Uploader(CoordinatorPort& port, Spool& spool, LiveFeed& feed, LeaseKeeper& keeper,
                   const base::Clock& clock, UploaderOptions options)
    : port_(port),
      spool_(spool),
      feed_(feed),
      keeper_(keeper),
      clock_(clock),
      options_(options),
      backoff_(options.retryInitial, options.retryMost, base::secureRandomSeed()) {}

void Uploader::start() {
  thread_ = std::thread([this] { loop(); });
}

void Uploader::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  spool_.wake();
  if (thread_.joinable()) thread_.join();
}

bool Uploader::stopping() const {
  std::lock_guard lock(mutex_);
  return stopping_;
}

void Uploader::loop() {
  while (!stopping()) {
    auto seen = spool_.version();
    sendLive();
    switch (turn()) {
      case Turn::kSent:
        backoff_.reset();
        break;
      case Turn::kNothing:
        spool_.waitForChange(seen, idleWait());
        break;
      case Turn::kRetry: {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, backoff_.next(), [this] { return stopping_; });
        break;
      }
    }
  }
}

base::Nanos Uploader::idleWait() const {
  return feed_.hasProgress() ? options_.progressEvery : std::chrono::minutes(1);
}

Uploader::Turn Uploader::turn() {
  for (const auto& entry : spool_.entries()) {
    Turn result = advance(entry);
    if (result != Turn::kNothing) return result;
  }
  return Turn::kNothing;
}

Uploader::Turn Uploader::advance(const SpoolEntry& entry) {
  Upload& upload = uploads_[entry.key];
  if (upload.closed) {
    if (!entry.completed) return Turn::kNothing;
    finish(entry, IngestAnswer::kFenced);
    return Turn::kSent;
  }
  if (!upload.again.empty()) return sendChunk(entry, upload, upload.again.front());
  bool last = entry.completed && upload.nextChunk + 1 == entry.chunks;
  if (last) return sendCompletion(entry, upload);
  if (upload.nextChunk < entry.chunks) return sendChunk(entry, upload, upload.nextChunk);
  return entry.completed ? sendCompletion(entry, upload) : Turn::kNothing;
}

Uploader::Turn Uploader::sendChunk(const SpoolEntry& entry, Upload& upload, std::uint32_t number) {
  auto chunk = spool_.chunk(entry.key, number);
  if (!chunk) return unreadable(entry, upload, chunk.error());
  auto reply = port_.appendSamples(entry.assignment.lease, *chunk);
  if (!reply) return failed(entry, upload, reply.error());
  reachable_ = true;
  upload.internals = 0;
  switch (reply->answer) {
    case IngestAnswer::kOk:
    case IngestAnswer::kDuplicate:
      if (!upload.again.empty()) {
        upload.again.erase(upload.again.begin());
      } else {
        ++upload.nextChunk;
      }
      return Turn::kSent;
    case IngestAnswer::kFenced:
    case IngestAnswer::kUnknown:
      base::log(LogLevel::kWarning, "upload.fenced",
                {{"attempt", entry.assignment.attempt.value},
                 {"chunk", std::size_t{number}},
                 {"answer", model::toString(reply->answer)}});
      upload.closed = true;
      keeper_.lost(entry.assignment.lease);
      return Turn::kSent;
    case IngestAnswer::kMissing:
      break;
  }
  return failed(entry, upload, base::internal("a chunk was answered with 'missing'"));
}

// A disk that answers with an error may do so for a moment only, but not hold up the rest for ever.
Uploader::Turn Uploader::unreadable(const SpoolEntry& entry, Upload& upload,
                                    const base::Error& error) {
  if (error.code == ErrorCode::kUnavailable && ++upload.unreadable < kMostInternal) {
    return failed(entry, upload, error);
  }
  giveUp(entry, error.message);
  return Turn::kSent;
}

Uploader::Turn Uploader::sendCompletion(const SpoolEntry& entry, Upload& upload) {
  auto completion = spool_.completion(entry.key);
  if (!completion) return Turn::kNothing;
  std::optional<model::SampleChunk> last;
  if (upload.nextChunk < entry.chunks) {
    auto chunk = spool_.chunk(entry.key, upload.nextChunk);
    if (!chunk) return unreadable(entry, upload, chunk.error());
    last = std::move(*chunk);
  }
  auto reply = port_.complete(entry.assignment.lease, *completion, last ? &*last : nullptr);
  if (!reply) return failed(entry, upload, reply.error());
  reachable_ = true;
  upload.internals = 0;
  switch (reply->answer) {
    case IngestAnswer::kOk:
    case IngestAnswer::kDuplicate:
    case IngestAnswer::kFenced:
    case IngestAnswer::kUnknown:
      finish(entry, reply->answer);
      return Turn::kSent;
    case IngestAnswer::kMissing:
      break;
  }
  bool known = !reply->missing.empty() &&
               std::all_of(reply->missing.begin(), reply->missing.end(),
                           [&](std::uint32_t number) { return number < entry.chunks; });
  if (!known || ++upload.missings > kMostMissing) {
    giveUp(entry,
           "the coordinator asks again and again for chunks of this attempt, or for ones "
           "that it never had");
    return Turn::kSent;
  }
  upload.again = std::move(reply->missing);
  upload.nextChunk = entry.chunks;
  return Turn::kSent;
}

Uploader::Turn Uploader::failed(const SpoolEntry& entry, Upload& upload, const base::Error& error) {
  switch (error.code) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kOverloaded:
    case ErrorCode::kDenied:
      break;
    case ErrorCode::kInternal:
      if (++upload.internals < kMostInternal) break;
      [[fallthrough]];
    case ErrorCode::kInvalid:
    case ErrorCode::kNotFound:
    case ErrorCode::kConflict:
    case ErrorCode::kUnsupported:
      giveUp(entry, error.message);
      return Turn::kSent;
  }
  if (reachable_) {
    base::log(LogLevel::kWarning, "upload.waiting",
              {{"attempt", entry.assignment.attempt.value},
               {"code", base::toString(error.code)},
               {"message", error.message}});
  }
  reachable_ = false;
  return Turn::kRetry;
}

void Uploader::finish(const SpoolEntry& entry, IngestAnswer answer) {
  base::log(LogLevel::kInfo, "attempt.reported",
            {{"attempt", entry.assignment.attempt.value},
             {"chunks", std::size_t{entry.chunks}},
             {"answer", model::toString(answer)}});
  keeper_.remove(entry.assignment.lease);
  uploads_.erase(entry.key);
  auto dropped = spool_.drop(entry.key);
  if (!dropped) {
    base::log(LogLevel::kWarning, "spool.drop_failed", {{"message", dropped.error().message}});
  }
}

void Uploader::giveUp(const SpoolEntry& entry, const std::string& reason) {
  base::log(LogLevel::kError, "attempt.set_aside",
            {{"attempt", entry.assignment.attempt.value}, {"reason", reason}});
  keeper_.lost(entry.assignment.lease);
  uploads_.erase(entry.key);
  auto moved = spool_.setAside(entry.key, reason);
  if (!moved) {
    base::log(LogLevel::kError, "spool.set_aside_failed", {{"message", moved.error().message}});
  }
}

void Uploader::sendLive() {
  base::MonoTime now = clock_.mono();
  if (!progressSent_ || now - *progressSent_ >= options_.progressEvery) {
    if (auto progress = feed_.takeProgress()) {
      progressSent_ = now;
      auto ignored = port_.progress(progress->lease, progress->text);
      (void)ignored;  // may be dropped
    }
  }
  while (auto line = feed_.takeLog()) {
    if (!port_.log(line->lease, "stderr", line->sequence, line->text)) break;
  }
}

}  // namespace fleetmark::agent::core
