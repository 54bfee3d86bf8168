#include "common/rpc/client_session.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/base/log.h"
#include "common/rpc/duration.h"
#include "common/rpc/kj_error.h"

namespace fleetmark::rpc {
namespace {

constexpr unsigned kMaxDoublings = 16;

// Trying again can't help before somebody changes something.
bool isVerdict(const base::Error& error) {
  return error.code == base::ErrorCode::kDenied || error.code == base::ErrorCode::kInvalid;
}

}  // namespace

ClientSession::ClientSession(UvEventPort& port, const RpcClientConfig& config,
                             std::vector<UvAddress> addresses, kj::Own<TlsEndpoint> tls,
                             RpcClientHooks& hooks, ClientStatus& status)
    : port_(port),
      config_(config),
      addresses_(std::move(addresses)),
      tls_(kj::mv(tls)),
      hooks_(hooks),
      status_(status),
      random_(base::secureRandomSeed()),
      tasks_(kj::heap<kj::TaskSet>(*this)) {}

ClientSession::~ClientSession() noexcept(false) {
  tasks_ = nullptr;  // drops the promises of the calls, so that they can be told
  const auto reason = base::unavailable("the client is shut down");
  status_.setDisconnected(reason);
  for (ClientCall* call : std::exchange(calls_, {})) call->finish(reason);
}

void ClientSession::start(ClientCall& call) {
  calls_.insert(&call);
  auto answered =
      connection()
          .then([this, &call](base::Result<Coordinator> ready) -> kj::Promise<base::Status> {
            if (!ready) return base::Status(ready.error());
            return call.begin(*ready).then([this]() -> base::Status {
              ++answers_;
              return {};
            });
          })
          .catch_([](kj::Exception&& e) -> base::Status {
            return toError(e, "call to the coordinator");
          });
  auto limit = port_.timer().afterDelay(toKj(call.limit())).then([this, &call]() -> base::Status {
    return timedOut(call.limit());
  });
  // When the last step runs, all before it, the call's own promise too, is destroyed.
  tasks_->add(answered.exclusiveJoin(kj::mv(limit))
                  .then([this, &call](base::Status status) { finish(call, std::move(status)); },
                        [this, &call](kj::Exception&& e) {
                          finish(call, toError(e, "call to the coordinator"));
                        }));
}

void ClientSession::finish(ClientCall& call, base::Status status) {
  calls_.erase(&call);
  call.finish(std::move(status));
}

base::Error ClientSession::timedOut(base::Nanos limit) const {
  const std::string within = " within " + base::formatDuration(limit);
  if (current_ != nullptr) {
    return base::unavailable("no answer from the coordinator at " + current_->link->address() +
                             within + "; try again");
  }
  const auto last = status_.lastError();
  return base::unavailable("not connected to a coordinator" + within +
                           (last ? ": " + last->message : "; is it running?"));
}

void ClientSession::dropConnection() {
  if (auto* drop = someOf(drop_)) (*drop)->fulfill(base::unavailable("dropped on request"));
}

kj::Promise<base::Result<ClientSession::Coordinator>> ClientSession::connection() {
  if (current_ != nullptr) return base::Result<Coordinator>(current_->link->coordinator());
  auto pair = kj::newPromiseAndFulfiller<base::Result<Coordinator>>();
  if (waiters_.empty()) waitingSince_ = port_.timer().now();
  waiters_.push_back(kj::mv(pair.fulfiller));
  if (!connecting_) {
    connecting_ = true;
    tasks_->add(connectOn(0));
  }
  return kj::mv(pair.promise);
}

kj::Promise<void> ClientSession::connectOn(unsigned round) {
  std::vector<std::size_t> order(addresses_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random_.shuffle(order);
  return tryEach(std::move(order), 0).then([this, round](Tried tried) -> kj::Promise<void> {
    if (!tried) {
      roundFailed(tried.error());
      return pause(round).then([this, round] { return connectOn(round + 1); });
    }
    return live(kj::mv(*tried)).then([this] {
      return pause(0).then([this] { return connectOn(0); });
    });
  });
}

kj::Promise<ClientSession::Tried> ClientSession::tryEach(std::vector<std::size_t> order,
                                                         std::size_t denied) {
  const UvAddress& address = addresses_[order.back()];
  order.pop_back();
  return tryOne(address).then(
      [this, order = std::move(order), denied](Tried tried) mutable -> kj::Promise<Tried> {
        if (tried) return kj::mv(tried);
        if (isVerdict(tried.error())) ++denied;
        if (!order.empty()) return tryEach(std::move(order), denied);
        if (isVerdict(tried.error()) && denied < addresses_.size()) {
          // Another coordinator may come back and accept us.
          return Tried(base::unavailable(tried.error().message));
        }
        return kj::mv(tried);
      });
}

kj::Promise<ClientSession::Tried> ClientSession::tryOne(const UvAddress& address) {
  auto greeted = ClientLink::open(port_, *tls_, address, config_.limits)
                     .then([this](base::Result<kj::Own<ClientLink>> link) -> kj::Promise<Tried> {
                       if (!link) return Tried(link.error());
                       return greet(kj::mv(*link));
                     });
  const std::string where = address.toString();
  auto limit = port_.timer().afterDelay(toKj(config_.connectLimit)).then([this, where]() -> Tried {
    return base::unavailable("no answer from " + where + " within " +
                             base::formatDuration(config_.connectLimit) +
                             "; is a coordinator running there?");
  });
  return greeted.exclusiveJoin(kj::mv(limit)).catch_([where](kj::Exception&& e) -> Tried {
    return toError(e, "connection to " + where);
  });
}

kj::Promise<ClientSession::Tried> ClientSession::greet(kj::Own<ClientLink> link) {
  auto* hook = someOf(hooks_.onConnected);
  auto coordinator = link->coordinator();
  auto connected = kj::heap<Live>(*this, kj::mv(link), ++generation_);
  if (hook == nullptr) return Tried(kj::mv(connected));
  auto hooked = (*hook)(kj::mv(coordinator), connected->generation);
  return hooked.then([connected = kj::mv(connected)](base::Status status) mutable -> Tried {
    if (!status) return status.error();
    return kj::mv(connected);
  });
}

kj::Promise<void> ClientSession::live(kj::Own<Live> live) {
  current_ = live;
  status_.setConnected(live->generation);
  base::log(base::LogLevel::kInfo, "rpc.connected", {{"coordinator", live->link->address()}});
  for (auto& waiter : std::exchange(waiters_, {})) {
    waiter->fulfill(base::Result<Coordinator>(live->link->coordinator()));
  }
  auto dropped = kj::newPromiseAndFulfiller<base::Error>();
  drop_ = kj::mv(dropped.fulfiller);
  auto ended = live->link->whenDisconnected().then(
      []() -> base::Error { return base::unavailable("the coordinator ended the connection"); },
      [](kj::Exception&& e) -> base::Error { return toError(e, "connection"); });
  return ended.exclusiveJoin(heartbeat(live->link->coordinator()))
      .exclusiveJoin(kj::mv(dropped.promise))
      .then([this, live = kj::mv(live)](base::Error reason) {
        base::log(base::LogLevel::kWarning, "rpc.disconnected",
                  {{"coordinator", live->link->address()}, {"reason", reason.message}});
        current_ = nullptr;
        drop_ = nullptr;
        status_.setDisconnected(std::move(reason));
      });
}

kj::Promise<base::Error> ClientSession::heartbeat(Coordinator coordinator) {
  if (config_.heartbeatInterval <= base::Nanos::zero()) return kj::NEVER_DONE;
  const std::uint64_t seen = answers_;
  return port_.timer()
      .afterDelay(toKj(config_.heartbeatInterval))
      .then([this, seen, coordinator]() mutable -> kj::Promise<base::Error> {
        if (answers_ != seen) return heartbeat(kj::mv(coordinator));
        auto answered = coordinator.pingRequest().send().ignoreResult().then(
            []() -> base::Status { return {}; },
            [](kj::Exception&& e) -> base::Status {
              // A refusal is an answer, too: the peer lives.
              if (e.getType() != kj::Exception::Type::DISCONNECTED) return {};
              return toError(e, "heartbeat");
            });
        auto limit = port_.timer().afterDelay(toKj(config_.heartbeatLimit)).then([this]() {
          return base::Status(
              base::unavailable("the coordinator is silent: no answer to a ping within " +
                                base::formatDuration(config_.heartbeatLimit)));
        });
        return answered.exclusiveJoin(kj::mv(limit))
            .then([this, coordinator](base::Status status) mutable -> kj::Promise<base::Error> {
              if (!status) return status.error();
              return heartbeat(kj::mv(coordinator));
            });
      });
}

// Exponential with full jitter: many agents that lost one coordinator must not come back at once.
kj::Promise<void> ClientSession::pause(unsigned round) {
  const auto doubled = config_.backoffBase * (std::int64_t{1} << std::min(round, kMaxDoublings));
  const base::Nanos most = std::min<base::Nanos>(doubled, config_.backoffCap);
  const auto wait = static_cast<std::int64_t>(random_.unit() * static_cast<double>(most.count()));
  return port_.timer().afterDelay(toKj(base::Nanos(wait)));
}

void ClientSession::roundFailed(const base::Error& error) {
  status_.setDisconnected(error);
  base::log(base::LogLevel::kDebug, "rpc.connect_failed", {{"reason", error.message}});
  bool enough = config_.patience > base::Nanos::zero() &&
                port_.timer().now() - waitingSince_ >= toKj(config_.patience);
  if (!isVerdict(error) && !enough) return;
  for (auto& waiter : std::exchange(waiters_, {}))
    waiter->fulfill(base::Result<Coordinator>(error));
}

void ClientSession::tellDisconnected(std::uint64_t generation) {
  if (auto* hook = someOf(hooks_.onDisconnected)) (*hook)(generation);
}

void ClientSession::taskFailed(kj::Exception&& exception) {
  base::log(base::LogLevel::kError, "rpc.client_task_failed", {{"reason", describe(exception)}});
}

}  // namespace fleetmark::rpc
