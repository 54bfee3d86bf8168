#include "coordinator/rpc/announcer.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/random.h"
#include "coordinator/service/announce.h"

namespace fleetmark::coordinator::rpc {

namespace {

constexpr auto kAtMostEvery = 100 * kj::MILLISECONDS;
constexpr base::Nanos kListenFor = std::chrono::milliseconds(500);  // the longest wait of a stop
constexpr auto kAfterFailure = 1 * kj::SECONDS;

}  // namespace

Announcer::Announcer(Bridge& work, kj::Timer& timer, ChangeSignal& changedHere, OpenListener open,
                     kj::Function<void()> heard)
    : work_(work),
      timer_(timer),
      changedHere_(changedHere),
      listener_(
          [open = std::move(open)] {
            auto context = std::make_unique<ListenerContext>();
            context->listener = open();
            return context;
          },
          {.threads = 1, .queueLimit = 4}),
      heard_(kj::mv(heard)),
      self_(base::newUuid().toString()) {}

kj::Promise<void> Announcer::announce() {
  return changedHere_.wait().then([this] { return announceOnce(); }).then([this] {
    return announce();
  });
}

kj::Promise<void> Announcer::announceOnce() {
  // What changes while it waits is announced with it.
  return timer_.afterDelay(kAtMostEvery).then([this] {
    return work_
        .run<void>([self = self_](WorkerContext& worker) {
          return service::announce(*worker.database, self);
        })
        .then([](base::Status&& told) {
          if (!told) {
            base::log(base::LogLevel::kDebug, "announce.failed", {{"error", told.error().message}});
          }
        });
  });
}

kj::Promise<void> Announcer::listen() {
  return listener_
      .run<bool>([self = self_](ListenerContext& context) {
        return context.listener->wait(self, kListenFor);
      })
      .then([this](base::Result<bool>&& heard) -> kj::Promise<void> {
        if (!heard) {
          base::log(base::LogLevel::kDebug, "listen.failed", {{"error", heard.error().message}});
          return timer_.afterDelay(kAfterFailure);
        }
        if (*heard) heard_();
        return kj::READY_NOW;
      })
      .then([this] { return listen(); });
}

}  // namespace fleetmark::coordinator::rpc
