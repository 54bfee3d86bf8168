// KJ's event loop on libuv. KJ drives and libuv waits: the thread sits in promise.wait(scope), and
// libuv's callbacks only fulfil promises, so no application code runs inside uv_run() and no
// exception crosses its C frames.
//
//   rpc::UvLoop loop;
//   somePromise.wait(loop.scope());
//
// One thread owns the loop and all that is made on it; only wake() may be called from another
// (KJ does, for cross-thread promises and kj::Executor).
#pragma once

#include <kj/async.h>
#include <kj/timer.h>
#include <uv.h>

#include "common/rpc/kj_compat.h"

namespace fleetmark::rpc {

FM_KJ_CLASS_BEGIN
// Outlives every stream, listener and connector made on it. Sets SIGPIPE to be ignored in the whole
// process.
class UvEventPort final : public kj::EventPort {
 public:
  UvEventPort();
  ~UvEventPort() noexcept(false);
  KJ_DISALLOW_COPY(UvEventPort);

  kj::EventLoop& eventLoop() { return *eventLoop_; }
  // Counts from a time that is read once a turn of the loop: for limits, never for measurements.
  kj::Timer& timer() { return timer_; }
  uv_loop_t* uvLoop() { return &loop_; }
  // 64 KiB that a read may use until its callback returns. One for all streams: they read in turn.
  kj::ArrayPtr<char> scratch() { return scratch_; }

  bool wait() override;
  bool poll() override;
  void wake() const override;

 private:
  void run(uv_run_mode mode);
  void armTimer();
  bool takeWoken();

  uv_loop_t loop_;
  uv_async_t async_;  // stays referenced: uv_run(ONCE) must block also with nothing else open
  uv_timer_t uvTimer_;
  uv_prepare_t prepare_;  // not referenced
  bool woken_ = false;
  kj::Array<char> scratch_;
  kj::TimerImpl timer_;
  kj::Own<kj::EventLoop> eventLoop_;  // on the heap: it must go before the handles do
};
FM_KJ_CLASS_END

// A port with its wait scope, which is what a thread's main function wants.
class UvLoop {
 public:
  UvLoop();
  UvEventPort& port() { return port_; }
  kj::WaitScope& scope() { return scope_; }
  kj::Timer& timer() { return port_.timer(); }

 private:
  UvEventPort port_;
  kj::WaitScope scope_;
};

}  // namespace fleetmark::rpc
