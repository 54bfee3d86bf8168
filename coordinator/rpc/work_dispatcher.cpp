#include "coordinator/rpc/work_dispatcher.h"

#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/rpc/duration.h"
#include "coordinator/service/ingest.h"

namespace fleetmark::coordinator::rpc {

namespace {

// Without a wake: delays that end, work of other coordinators.
constexpr auto kLookAgain = 1 * kj::SECONDS;

}  // namespace

// Stands in the list for as long as somebody holds its promise.
class WorkDispatcher::Waiter {
 public:
  Waiter(kj::PromiseFulfiller<Taken>& fulfiller, WorkDispatcher& dispatcher, TakerPtr who,
         kj::TimePoint deadline)
      : taker(std::move(who)),
        fulfiller_(fulfiller),
        dispatcher_(dispatcher),
        id_(++dispatcher.lastId_),
        timeout_(dispatcher.timer_.atTime(deadline)
                     .then([this] { answer(std::optional<model::Assignment>()); })
                     .eagerlyEvaluate(nullptr)) {
    dispatcher_.waiting_.emplace(id_, this);
    dispatcher_.look();
  }
  ~Waiter() noexcept(false) { dispatcher_.waiting_.erase(id_); }
  KJ_DISALLOW_COPY(Waiter);

  void answer(Taken taken) {
    dispatcher_.waiting_.erase(id_);
    fulfiller_.fulfill(kj::mv(taken));
  }

  const TakerPtr taker;

 private:
  kj::PromiseFulfiller<Taken>& fulfiller_;
  WorkDispatcher& dispatcher_;
  const std::uint64_t id_;
  kj::Promise<void> timeout_;
};

WorkDispatcher::WorkDispatcher(Bridge& work, kj::Timer& timer, kj::TaskSet& background,
                               ChangeSignal& workReady, ChangeSignal& handedOut,
                               const service::Settings& settings)
    : work_(work),
      timer_(timer),
      background_(background),
      workReady_(workReady),
      handedOut_(handedOut),
      settings_(settings) {}

kj::Promise<void> WorkDispatcher::run() {
  auto woken = workReady_.wait();
  look();
  return woken.exclusiveJoin(timer_.afterDelay(kLookAgain)).then([this] { return run(); });
}

kj::Promise<WorkDispatcher::Taken> WorkDispatcher::take(TakerPtr taker, kj::TimePoint deadline) {
  return kj::newAdaptedPromise<Taken, Waiter>(*this, std::move(taker), deadline);
}

void WorkDispatcher::look() {
  if (looking_) {
    again_ = true;
    return;
  }
  if (waiting_.empty()) return;
  looking_ = true;
  background_.add(kj::evalLater([this] { return round(); }));
}

kj::Promise<void> WorkDispatcher::round() {
  again_ = false;
  std::vector<std::pair<std::uint64_t, TakerPtr>> asked;
  std::vector<TakerPtr> takers;
  for (const auto& [id, waiter] : waiting_) {
    asked.emplace_back(id, waiter->taker);
    takers.push_back(waiter->taker);
  }
  if (takers.empty()) {
    looking_ = false;
    return kj::READY_NOW;
  }
  return work_
      .run<Handed>([takers = std::move(takers), settings = settings_,
                    first = first_++](WorkerContext& worker) {
        return service::handOut(*worker.database, settings, takers, first);
      })
      .then([this, asked = std::move(asked)](base::Result<Handed>&& handed) mutable {
        deliver(std::move(asked), kj::mv(handed));
      });
}

void WorkDispatcher::deliver(std::vector<std::pair<std::uint64_t, TakerPtr>> asked,
                             base::Result<Handed>&& handed) {
  looking_ = false;
  if (!handed) {
    for (const auto& [id, taker] : asked) {
      auto found = waiting_.find(id);
      if (found != waiting_.end()) found->second->answer(handed.error());
    }
    return;
  }
  for (auto& each : *handed) {
    const auto& [id, taker] = asked[each.taker];
    auto found = waiting_.find(id);
    if (found == waiting_.end()) {
      giveBack(taker, each.assignment);
    } else {
      found->second->answer(std::optional<model::Assignment>(std::move(each.assignment)));
    }
  }
  if (!handed->empty()) handedOut_.raise();
  if (again_ || handed->size() == service::kMostHandedOut) look();
}

void WorkDispatcher::giveBack(const TakerPtr& taker, const model::Assignment& assignment) {
  base::log(base::LogLevel::kInfo, "work.given_back",
            {{"step", assignment.lease.step.value}, {"agent", taker->who.agent.toString()}});
  background_.add(
      work_
          .run<service::IngestReply>([taker, lease = assignment.lease,
                                      settings = settings_](WorkerContext& worker) mutable {
            settings.quarantineAfter = 0;  // it isn't the agent that says so
            model::Completion completion;
            completion.outcome = model::Outcome::kInfrastructure;
            completion.message = "the agent's connection was lost before it heard of the step";
            return service::complete(*worker.database, settings,
                                     {taker->who, lease, completion, std::nullopt});
          })
          .then([](base::Result<service::IngestReply>&&) {}));  // else the lease runs out
}

}  // namespace fleetmark::coordinator::rpc
