#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "common/base/check.h"
#include "common/platform/posix/fd.h"
#include "common/platform/posix/wait.h"
#include "common/platform/process.h"

namespace fleetmark::platform {

namespace {

// Process-wide by nature: a signal handler has no other way to its data.
std::atomic<int> stopCount{0};
std::atomic<int> wakeFd{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void onStop(int) {
  int saved = errno;
  stopCount.fetch_add(1);
  int fd = wakeFd.load();
  if (fd >= 0) {
    // Never read: once written it wakes every later waiter. A full pipe is as good.
    [[maybe_unused]] auto written = ::write(fd, "x", 1);
  }
  errno = saved;
}

int wakeReadEnd() {
  static const Pipe pipe = [] {
    auto made = makePipe();
    FM_CHECK(made.has_value());
    ::fcntl(made->writeEnd.get(), F_SETFL, O_NONBLOCK);
    wakeFd.store(made->writeEnd.get());
    return std::move(made).value();
  }();
  return pipe.readEnd.get();
}

}  // namespace

void StopSignal::install() {
  wakeReadEnd();
  struct sigaction action {};
  action.sa_handler = onStop;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

bool StopSignal::requested() { return stopCount.load() > 0; }

int StopSignal::count() { return stopCount.load(); }

bool StopSignal::waitFor(base::Nanos limit) {
  int fd = wakeReadEnd();
  if (requested()) return true;
  pollUntilReady(fd, limit);
  return requested();
}

void StopSignal::raise() {
  wakeReadEnd();
  onStop(0);
}

}  // namespace fleetmark::platform
