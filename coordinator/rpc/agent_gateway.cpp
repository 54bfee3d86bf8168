#include "coordinator/rpc/agent_gateway.h"

#include <algorithm>

#include "common/rpc/agent_wire_codec.h"
#include "common/rpc/kj_compat.h"
#include "common/rpc/wire_limits.h"
#include "coordinator/service/agents.h"
#include "coordinator/service/arrive.h"
#include "coordinator/service/ingest.h"
#include "coordinator/service/work.h"

namespace fleetmark::coordinator::rpc {

namespace {

namespace wire = fleetmark::rpc;

constexpr auto kLongestWait = std::chrono::seconds(60);

// Members that another coordinator serves are only seen by looking.
constexpr auto kLookAtGroup = std::chrono::milliseconds(200);

kj::Duration toKj(base::Nanos duration) { return duration.count() * kj::NANOSECONDS; }

void encodeIngest(const base::Result<service::IngestReply>& reply,
                  schema::AgentSession::IngestResult::Builder out) {
  if (!reply) {
    wire::toWire(reply.error(), out.initError());
    return;
  }
  out.setAnswer(wire::toWire(reply->answer));
  auto missing = out.initMissing(static_cast<unsigned>(reply->missing.size()));
  for (unsigned i = 0; i < missing.size(); ++i) missing.set(i, reply->missing[i]);
}

FM_KJ_CLASS_BEGIN

class SessionServer final : public schema::AgentSession::Server {
 public:
  SessionServer(GatewayContext& context, service::Taker taker)
      : context_(context),
        who_(taker.who),
        taker_(std::make_shared<const service::Taker>(std::move(taker))) {}
  ~SessionServer() noexcept {
    context_.background.add(context_.work
                                .run<void>([who = who_](WorkerContext& worker) {
                                  return service::agentDisconnected(*worker.database, who);
                                })
                                .then([](base::Status&&) {}));
  }

 protected:
  kj::Promise<void> takeWork(TakeWorkContext call) override {
    wire::allowCancellation(call);
    auto wait = std::clamp<std::int64_t>(call.getParams().getWaitNs(), 0,
                                         base::Nanos(kLongestWait).count());
    call.releaseParams();
    return context_.dispatcher.take(taker_, context_.timer.now() + wait * kj::NANOSECONDS)
        .then([this, call](WorkDispatcher::Taken&& taken) mutable -> kj::Promise<void> {
          if (taken && !taken->has_value()) return none(call);
          auto result = call.getResults().initResult();
          if (taken) {
            wire::toWire(**taken, result.initAssignment());
          } else {
            wire::toWire(taken.error(), result.initError());
          }
          return kj::READY_NOW;
        });
  }

  kj::Promise<void> renew(RenewContext call) override {
    auto leases = call.getParams().getLeases();
    std::vector<model::LeaseRef> refs;
    if (leases.size() > wire::kMaxLeases) {
      wire::toWire(base::invalid("too many leases in one renewal"),
                   call.getResults().initResult().initError());
      return kj::READY_NOW;
    }
    for (auto lease : leases) {
      auto decoded = wire::fromWire(lease);
      if (!decoded) {
        wire::toWire(decoded.error(), call.getResults().initResult().initError());
        return kj::READY_NOW;
      }
      refs.push_back(std::move(*decoded));
    }
    using Answers = std::vector<model::RenewAnswer>;
    return context_.work
        .run<Answers>([who = who_, refs = std::move(refs),
                       settings = context_.settings](WorkerContext& worker) {
          return service::renew(*worker.database, settings, who, refs);
        })
        .then([call](base::Result<Answers>&& answers) mutable {
          auto out = call.getResults().initResult();
          if (!answers) {
            wire::toWire(answers.error(), out.initError());
            return;
          }
          auto list = out.initAnswers(static_cast<unsigned>(answers->size()));
          for (unsigned i = 0; i < list.size(); ++i) list.set(i, wire::toWire((*answers)[i]));
        });
  }

  kj::Promise<void> appendSamples(AppendSamplesContext call) override {
    auto lease = wire::fromWire(call.getParams().getLease());
    auto chunk = wire::fromWire(call.getParams().getChunk());
    if (!lease || !chunk) {
      wire::toWire(!lease ? lease.error() : chunk.error(),
                   call.getResults().initResult().initError());
      return kj::READY_NOW;
    }
    call.releaseParams();
    return context_.work
        .run<service::IngestReply>([who = who_, lease = std::move(*lease),
                                    chunk = std::move(*chunk)](WorkerContext& worker) {
          return service::appendSamples(*worker.database, who, lease, chunk);
        })
        .then([this, call](base::Result<service::IngestReply>&& reply) mutable {
          encodeIngest(reply, call.getResults().initResult());
          context_.newEvents.raise();
        });
  }

  kj::Promise<void> complete(CompleteContext call) override {
    auto lease = wire::fromWire(call.getParams().getLease());
    auto completion = wire::fromWire(call.getParams().getCompletion());
    if (!lease || !completion) {
      wire::toWire(!lease ? lease.error() : completion.error(),
                   call.getResults().initResult().initError());
      return kj::READY_NOW;
    }
    std::optional<model::SampleChunk> lastChunk;
    if (call.getParams().hasLastChunk()) {
      auto chunk = wire::fromWire(call.getParams().getLastChunk());
      if (!chunk) {
        wire::toWire(chunk.error(), call.getResults().initResult().initError());
        return kj::READY_NOW;
      }
      lastChunk = std::move(*chunk);
    }
    call.releaseParams();
    auto step = lease->step;
    return context_.ends
        .store({who_, std::move(*lease), std::move(*completion), std::move(lastChunk)})
        .then([this, call, step](base::Result<service::IngestReply>&& reply) mutable {
          encodeIngest(reply, call.getResults().initResult());
          context_.progress.erase(step);
        });
  }

  kj::Promise<void> arrive(ArriveContext call) override {
    wire::allowCancellation(call);
    auto lease = wire::fromWire(call.getParams().getLease());
    if (!lease) {
      wire::toWire(lease.error(), call.getResults().initResult().initError());
      return kj::READY_NOW;
    }
    auto wait = std::clamp<std::int64_t>(call.getParams().getWaitNs(), 0,
                                         base::Nanos(kLongestWait).count());
    call.releaseParams();
    return arriveOrWait(call, std::move(*lease), context_.timer.now() + wait * kj::NANOSECONDS);
  }

  kj::Promise<void> progress(ProgressContext call) override {
    auto lease = wire::fromWire(call.getParams().getLease());
    auto text = wire::checkedText(call.getParams().getText(), wire::kMaxName, "a progress line");
    if (lease && text) {
      context_.progress.set(lease->step, std::move(*text));
      context_.newEvents.raise();
    }
    return kj::READY_NOW;
  }

  kj::Promise<void> log(LogContext call) override {
    auto lease = wire::fromWire(call.getParams().getLease());
    auto stream = wire::checkedText(call.getParams().getStream(), wire::kMaxName, "a log's stream");
    auto text = wire::checkedText(call.getParams().getText(), wire::kMaxLogText, "a log's text");
    for (const base::Error* error :
         {lease ? nullptr : &lease.error(), stream ? nullptr : &stream.error(),
          text ? nullptr : &text.error()}) {
      if (error != nullptr) {
        wire::toWire(*error, call.getResults().initResult().initError());
        return kj::READY_NOW;
      }
    }
    return context_.work
        .run<service::IngestReply>([who = who_, lease = std::move(*lease),
                                    stream = std::move(*stream),
                                    sequence = call.getParams().getSequence(),
                                    text = std::move(*text)](WorkerContext& worker) {
          return service::appendLog(*worker.database, who, lease, stream, sequence, text);
        })
        .then([call](base::Result<service::IngestReply>&& reply) mutable {
          encodeIngest(reply, call.getResults().initResult());
        });
  }

 private:
  kj::Promise<void> none(TakeWorkContext call) {
    return context_.work
        .run<std::string>([who = who_, settings = context_.settings](WorkerContext& worker) {
          return service::whyNoWork(*worker.database, settings, who);
        })
        .then([call](base::Result<std::string>&& reason) mutable {
          auto result = call.getResults().initResult();
          result.setNone();
          result.setReason(reason ? *reason : reason.error().message);
        });
  }

  kj::Promise<void> arriveOrWait(ArriveContext call, model::LeaseRef lease,
                                 kj::TimePoint deadline) {
    using Answer = model::ArriveAnswer;
    auto woken = context_.workReady.wait();  // from before the look: no wake is missed
    return context_.work
        .run<Answer>([who = who_, lease](WorkerContext& worker) {
          return service::arrive(*worker.database, who, lease);
        })
        .then([this, call, lease, deadline,
               woken = kj::mv(woken)](base::Result<Answer>&& answer) mutable -> kj::Promise<void> {
          if (!answer) {
            wire::toWire(answer.error(), call.getResults().initResult().initError());
            return kj::READY_NOW;
          }
          auto now = context_.timer.now();
          if (*answer != Answer::kWait || now >= deadline) {
            call.getResults().initResult().setAnswer(wire::toWire(*answer));
            if (*answer != Answer::kWait) context_.workReady.raise();
            return kj::READY_NOW;
          }
          auto pause = kj::min(deadline - now, toKj(kLookAtGroup));
          return woken.exclusiveJoin(context_.timer.afterDelay(pause))
              .then([this, call, lease = kj::mv(lease), deadline]() mutable {
                return arriveOrWait(call, std::move(lease), deadline);
              });
        });
  }

  GatewayContext& context_;
  ports::Registration who_;
  WorkDispatcher::TakerPtr taker_;
};

class AgentGatewayServer final : public schema::AgentGateway::Server {
 public:
  AgentGatewayServer(GatewayContext& context, base::AgentId agent)
      : context_(context), agent_(agent) {}

 protected:
  kj::Promise<void> register_(RegisterContext call) override {
    auto hello = wire::fromWire(call.getParams().getHello(), agent_);
    if (!hello) {
      wire::toWire(hello.error(), call.getResults().initResult().initError());
      return kj::READY_NOW;
    }
    std::string name = hello->name;
    service::Taker taker{{}, hello->labels, hello->probes};
    auto received = context_.clock.wall();
    return context_.work
        .run<ports::Registration>(
            [this, received, hello = std::move(*hello)](WorkerContext& worker) mutable {
              // The agent's clock is compared when the row is written: add what was waited here.
              hello.wallClockNs += (context_.clock.wall() - received).count();
              return service::registerAgent(*worker.database, hello);
            })
        .then([this, call, name,
               taker = std::move(taker)](base::Result<ports::Registration>&& registration) mutable {
          auto out = call.getResults().initResult();
          if (!registration) {
            wire::toWire(registration.error(), out.initError());
            return;
          }
          base::log(base::LogLevel::kInfo, "agent.registered",
                    {{"agent", registration->agent.toString()},
                     {"name", name},
                     {"session", registration->session}});
          taker.who = *registration;
          out.setSession(kj::heap<SessionServer>(context_, std::move(taker)));
          out.setAgentId(registration->agent.toString());
          out.setHeartbeatNs(context_.settings.heartbeat.count());
          context_.workReady.raise();
        });
  }

 private:
  GatewayContext& context_;
  base::AgentId agent_;
};

FM_KJ_CLASS_END

}  // namespace

schema::AgentGateway::Client makeAgentGateway(GatewayContext& context, base::AgentId agent) {
  return kj::heap<AgentGatewayServer>(context, agent);
}

}  // namespace fleetmark::coordinator::rpc
