#include "common/rpc/uv_event_port.h"

#include <kj/debug.h>

#include <csignal>

#include "common/base/log.h"
#include "common/rpc/kj_compat.h"
#include "common/rpc/uv_error.h"

namespace fleetmark::rpc {
namespace {

constexpr std::size_t kScratchBytes = 64 * 1024;
constexpr std::uint64_t kMaxWaitMs = 1u << 30;
// KJ looks at I/O after so many events. By default it never does while events are queued, and one
// bulk stream would starve the rest.
constexpr unsigned kEventsBetweenPolls = 200;

kj::TimePoint now() {
  return kj::origin<kj::TimePoint>() + static_cast<std::int64_t>(uv_hrtime()) * kj::NANOSECONDS;
}

// libuv writes without MSG_NOSIGNAL, so a peer that has gone would end the process.
void ignoreBrokenPipes() {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);
#endif
}

template <typename Handle>
uv_handle_t* asHandle(Handle* handle) {
  return reinterpret_cast<uv_handle_t*>(handle);
}

}  // namespace

UvEventPort::UvEventPort()
    : scratch_(kj::heapArray<char>(kScratchBytes)),
      timer_(now()),
      eventLoop_(kj::heap<kj::EventLoop>(*this)) {
  ignoreBrokenPipes();
  uvCheck(uv_loop_init(&loop_), "uv_loop_init");
  uvCheck(uv_async_init(
              &loop_, &async_,
              [](uv_async_t* handle) { static_cast<UvEventPort*>(handle->data)->woken_ = true; }),
          "uv_async_init");
  async_.data = this;
  uvCheck(uv_timer_init(&loop_, &uvTimer_), "uv_timer_init");
  uvTimer_.data = this;
  uvCheck(uv_prepare_init(&loop_, &prepare_), "uv_prepare_init");
  prepare_.data = this;
  // Callbacks of earlier phases may have queued a KJ event, which setRunnable() doesn't tell while
  // wait() runs: the poll that follows must then not block.
  uvCheck(uv_prepare_start(&prepare_,
                           [](uv_prepare_t* handle) {
                             auto* self = static_cast<UvEventPort*>(handle->data);
                             if (self->eventLoop_->isRunnable()) uv_stop(&self->loop_);
                           }),
          "uv_prepare_start");
  uv_unref(asHandle(&prepare_));
}

UvEventPort::~UvEventPort() noexcept(false) {
  eventLoop_ = nullptr;  // drops detached tasks, which close their streams
  uv_close(asHandle(&async_), nullptr);
  uv_close(asHandle(&uvTimer_), nullptr);
  uv_close(asHandle(&prepare_), nullptr);
  uv_run(&loop_, UV_RUN_DEFAULT);  // the close callbacks
  if (const int status = uv_loop_close(&loop_); status < 0) {
    base::log(base::LogLevel::kError, "uv.loop_left_open", {{"reason", uv_strerror(status)}});
  }
}

bool UvEventPort::wait() {
  run(UV_RUN_ONCE);
  return takeWoken();
}

bool UvEventPort::poll() {
  run(UV_RUN_NOWAIT);
  return takeWoken();
}

void UvEventPort::wake() const { uv_async_send(const_cast<uv_async_t*>(&async_)); }

void UvEventPort::run(uv_run_mode mode) {
  armTimer();
  uv_run(&loop_, mode);
  timer_.advanceTo(now());
}

void UvEventPort::armTimer() {
  const auto wait = timer_.timeoutToNextEvent(now(), kj::MILLISECONDS, kMaxWaitMs);
  const std::uint64_t* ms = someOf(wait);
  if (ms == nullptr) {
    uv_timer_stop(&uvTimer_);
    return;
  }
  uv_update_time(&loop_);
  // uv_run() runs due timers before it polls; without uv_stop() the poll would then block with
  // nothing left to end it.
  uv_timer_start(
      &uvTimer_,
      [](uv_timer_t* handle) { uv_stop(&static_cast<UvEventPort*>(handle->data)->loop_); }, *ms, 0);
}

bool UvEventPort::takeWoken() {
  const bool woken = woken_;
  woken_ = false;
  return woken;
}

UvLoop::UvLoop() : scope_(port_.eventLoop()) { scope_.setBusyPollInterval(kEventsBetweenPolls); }

}  // namespace fleetmark::rpc
