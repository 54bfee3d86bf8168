#include "coordinator/rpc/coordinator_server.h"

#include <kj/async.h>

#include "common/base/version.h"
#include "common/rpc/common_wire_codec.h"
#include "common/rpc/kj_compat.h"
#include "common/rpc/rpc_server.h"
#include "common/rpc/uv_event_port.h"
#include "coordinator/rpc/agent_gateway.h"
#include "coordinator/rpc/announcer.h"
#include "coordinator/rpc/gateway_context.h"
#include "coordinator/rpc/operator_gateway.h"
#include "coordinator/service/enroll.h"
#include "coordinator/service/reap.h"
#include "schema/coordinator.capnp.h"

namespace fleetmark::coordinator::rpc {

namespace {

namespace wire = fleetmark::rpc;

constexpr auto kStopCheck = 100 * kj::MILLISECONDS;
constexpr auto kReapPause = 1 * kj::SECONDS;

FM_KJ_CLASS_BEGIN

class BackgroundErrors final : public kj::TaskSet::ErrorHandler {
 public:
  void taskFailed(kj::Exception&& exception) override {
    base::log(base::LogLevel::kError, "background.failed",
              {{"error", exception.getDescription().cStr()}});
  }
};

// The first interface on a connection.
class Bootstrap final : public schema::Coordinator::Server {
 public:
  Bootstrap(GatewayContext& context, wire::PeerIdentity peer)
      : context_(context), peer_(std::move(peer)) {}

 protected:
  kj::Promise<void> ping(PingContext call) override {
    auto out = call.getResults();
    out.setVersion(std::string(base::kVersion));
    out.setRole(std::string(wire::toString(peer_.role)));
    out.setWallClockNs(base::toUnixNanos(context_.clock.wall()));
    return kj::READY_NOW;
  }

  kj::Promise<void> agent(AgentContext call) override {
    auto out = call.getResults().initResult();
    auto id = base::Uuid::parse(peer_.id);
    if (peer_.role != wire::PeerRole::kAgent || !id) {
      wire::toWire(refusal("an agent's"), out.initError());
      return kj::READY_NOW;
    }
    out.setGateway(makeAgentGateway(context_, *id));
    return kj::READY_NOW;
  }

  kj::Promise<void> operator_(OperatorContext call) override {
    auto out = call.getResults().initResult();
    if (peer_.role != wire::PeerRole::kOperator) {
      wire::toWire(refusal("an operator's"), out.initError());
      return kj::READY_NOW;
    }
    out.setGateway(makeOperatorGateway(context_, peer_.label()));
    return kj::READY_NOW;
  }

 private:
  base::Error refusal(std::string_view needed) const {
    base::log(base::LogLevel::kWarning, "peer.refused",
              {{"peer", peer_.label()}, {"wanted", needed}, {"address", peer_.address}});
    return base::denied("this certificate is " + peer_.label() + "; " + std::string(needed) +
                        " certificate is needed for that");
  }

  GatewayContext& context_;
  wire::PeerIdentity peer_;
};

FM_KJ_CLASS_END

class ServerLoop {
 public:
  ServerLoop(const CoordinatorServerOptions& options, const base::Clock& clock)
      : options_(options),
        clock_(clock),
        background_(errors_),
        work_(contextFactory(), {.threads = 8, .queueLimit = 2048}),
        look_(contextFactory(), {.threads = 2, .queueLimit = 256}),
        context_{work_,
                 look_,
                 loop_.timer(),
                 background_,
                 clock_,
                 options.settings,
                 options.authority,
                 options.render} {
    if (options.openListener) {
      announcer_ = std::make_unique<Announcer>(work_, loop_.timer(), context_.changedHere,
                                               options.openListener, [this] {
                                                 context_.workReady.raiseHeard();
                                                 context_.newEvents.raiseHeard();
                                               });
    }
  }

  base::Status run() {
    wire::RpcServerConfig config;
    config.address = options_.listen;
    config.tls = options_.tls;
    wire::RpcServerCallbacks callbacks{
        [this](const wire::PeerIdentity& peer) { return authorise(peer); },
        [this](const wire::PeerIdentity& peer) -> capnp::Capability::Client {
          return kj::heap<Bootstrap>(context_, peer);
        },
        [](const wire::PeerIdentity& peer) {
          base::log(base::LogLevel::kInfo, "peer.disconnected", {{"peer", peer.label()}});
        }};
    auto server = wire::RpcServer::listen(loop_.port(), std::move(config), kj::mv(callbacks));
    if (!server) return std::move(server).error();
    options_.ready((*server)->boundAddress());
    background_.add(reapForever());
    background_.add(context_.dispatcher.run());
    if (announcer_) {
      background_.add(announcer_->announce());
      background_.add(announcer_->listen());
    }
    untilStop().wait(loop_.scope());
    (*server)->stop();
    if (announcer_) announcer_->stop();
    work_.stop();
    look_.stop();
    return {};
  }

 private:
  Bridge::Factory contextFactory() {
    return [open = options_.openDatabase] {
      auto context = std::make_unique<WorkerContext>();
      context->database = open();
      return context;
    };
  }

  kj::Promise<base::Status> authorise(const wire::PeerIdentity& peer) {
    return work_.run<void>([this, role = std::string(wire::toString(peer.role)),
                            serial = peer.serialHex](WorkerContext& worker) {
      return service::authorise(*worker.database, clock_, role, serial);
    });
  }

  kj::Promise<void> untilStop() {
    if (options_.stopRequested()) return kj::READY_NOW;
    return loop_.timer().afterDelay(kStopCheck).then([this] { return untilStop(); });
  }

  kj::Promise<void> reapForever() {
    return loop_.timer()
        .afterDelay(kReapPause)
        .then([this] {
          return work_.run<service::Reaped>(
              [](WorkerContext& worker) { return service::reap(*worker.database); });
        })
        .then([this](base::Result<service::Reaped>&& reaped) {
          if (!reaped) {
            base::log(base::LogLevel::kWarning, "reap.failed", {{"error", reaped.error().message}});
          } else if (reaped->leases + reaped->groups + reaped->campaigns > 0) {
            base::log(base::LogLevel::kInfo, "reap.done",
                      {{"leases", std::int64_t{reaped->leases}},
                       {"groups", std::int64_t{reaped->groups}},
                       {"campaigns", std::int64_t{reaped->campaigns}}});
            context_.workReady.raise();
            context_.newEvents.raise();
          }
          return reapForever();
        });
  }

  const CoordinatorServerOptions& options_;
  const base::Clock& clock_;
  wire::UvLoop loop_;
  BackgroundErrors errors_;
  kj::TaskSet background_;
  Bridge work_;
  Bridge look_;
  GatewayContext context_;
  std::unique_ptr<Announcer> announcer_;
};

}  // namespace

base::Status runCoordinatorServer(const CoordinatorServerOptions& options,
                                  const base::Clock& clock) {
  ServerLoop loop(options, clock);
  return loop.run();
}

}  // namespace fleetmark::coordinator::rpc
