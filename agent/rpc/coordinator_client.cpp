#include "agent/rpc/coordinator_client.h"

#include <mutex>
#include <optional>

#include "common/base/log.h"
#include "common/rpc/agent_wire_codec.h"
#include "common/rpc/kj_compat.h"
#include "common/rpc/rpc_client.h"

namespace fleetmark::agent::rpc {

namespace {

namespace wire = fleetmark::rpc;
using schema::AgentSession;
template <typename T>
using Answer = kj::Promise<base::Result<T>>;

base::Result<core::IngestReply> decodeIngest(AgentSession::IngestResult::Reader result) {
  if (result.isError()) return wire::fromWire(result.getError());
  core::IngestReply reply;
  FM_TRY_ASSIGN(reply.answer, wire::fromWire(result.getAnswer()));
  for (auto number : result.getMissing()) reply.missing.push_back(number);
  return reply;
}

// What belongs to one connection; touched on the loop thread alone.
struct LoopState {
  kj::Maybe<AgentSession::Client> session;
  core::SessionInfo info;
};

class CoordinatorClient final : public core::CoordinatorPort {
 public:
  CoordinatorClient(base::Nanos callLimit, const base::Clock& clock)
      : callLimit_(callLimit), clock_(clock) {}
  ~CoordinatorClient() noexcept override { stop(); }

  base::Status start(wire::RpcClientConfig config) {
    wire::RpcClientHooks hooks;
    hooks.onConnected = wire::RpcClientHooks::Connected(
        [this](schema::Coordinator::Client coordinator, std::uint64_t) {
          return registerOn(kj::mv(coordinator));
        });
    hooks.onDisconnected =
        wire::RpcClientHooks::Disconnected([this](std::uint64_t) { loop_.session = nullptr; });
    FM_TRY_ASSIGN(client_, wire::RpcClient::start(std::move(config), kj::mv(hooks)));
    return {};
  }

  base::Result<core::SessionInfo> registerAgent(const model::AgentHello& hello) override {
    bool again = false;
    {
      std::lock_guard lock(helloMutex_);
      again = hello_.has_value();
      hello_ = hello;
    }
    if (again) client_->dropConnection();  // the new hello is said on a new connection
    return client_->call<core::SessionInfo>(
        [this](schema::Coordinator::Client) -> Answer<core::SessionInfo> {
          return base::Result<core::SessionInfo>(loop_.info);
        },
        callLimit_);
  }

  base::Result<core::TakeReply> takeWork(base::Nanos wait) override {
    return call<core::TakeReply>(
        [wait](AgentSession::Client session) {
          auto request = session.takeWorkRequest();
          request.setWaitNs(wait.count());
          return request.send().then([](auto&& response) -> base::Result<core::TakeReply> {
            auto result = response.getResult();
            core::TakeReply reply;
            switch (result.which()) {
              case AgentSession::TakeResult::ERROR:
                return wire::fromWire(result.getError());
              case AgentSession::TakeResult::NONE:
                reply.reason = result.getReason().cStr();
                return reply;
              case AgentSession::TakeResult::ASSIGNMENT: {
                FM_TRY_ASSIGN(auto assignment, wire::fromWire(result.getAssignment()));
                reply.assignment = std::move(assignment);
                return reply;
              }
            }
            return base::unsupported("the coordinator's answer is unknown to this version");
          });
        },
        wait);
  }

  base::Result<std::vector<model::RenewAnswer>> renew(
      std::span<const model::LeaseRef> leases) override {
    using Out = std::vector<model::RenewAnswer>;
    auto answers = call<Out>([leases](AgentSession::Client session) {
      auto request = session.renewRequest();
      auto list = request.initLeases(static_cast<unsigned>(leases.size()));
      for (unsigned i = 0; i < list.size(); ++i) wire::toWire(leases[i], list[i]);
      std::size_t count = leases.size();
      return request.send().then([count](auto&& response) -> base::Result<Out> {
        auto result = response.getResult();
        if (result.isError()) return wire::fromWire(result.getError());
        Out out;
        for (auto answer : result.getAnswers()) {
          FM_TRY_ASSIGN(auto decoded, wire::fromWire(answer));
          out.push_back(decoded);
        }
        if (out.size() != count) {
          return base::internal("the coordinator answered for another number of leases");
        }
        return out;
      });
    });
    // A registration that was long on its way came after this one and took its place. Nobody lives
    // in that session, so this agent registers anew.
    if (!answers && answers.error().code == base::ErrorCode::kConflict) client_->dropConnection();
    return answers;
  }

  base::Result<core::IngestReply> appendSamples(const model::LeaseRef& lease,
                                                const model::SampleChunk& chunk) override {
    return call<core::IngestReply>([&](AgentSession::Client session) {
      auto request = session.appendSamplesRequest();
      wire::toWire(lease, request.initLease());
      wire::toWire(chunk, request.initChunk());
      return request.send().then(
          [](auto&& response) { return decodeIngest(response.getResult()); });
    });
  }

  base::Result<core::IngestReply> complete(const model::LeaseRef& lease,
                                           const model::Completion& completion,
                                           const model::SampleChunk* lastChunk) override {
    return call<core::IngestReply>([&](AgentSession::Client session) {
      auto request = session.completeRequest();
      wire::toWire(lease, request.initLease());
      wire::toWire(completion, request.initCompletion());
      if (lastChunk != nullptr) wire::toWire(*lastChunk, request.initLastChunk());
      return request.send().then(
          [](auto&& response) { return decodeIngest(response.getResult()); });
    });
  }

  base::Result<model::ArriveAnswer> arrive(const model::LeaseRef& lease,
                                           base::Nanos wait) override {
    return call<model::ArriveAnswer>(
        [&lease, wait](AgentSession::Client session) {
          auto request = session.arriveRequest();
          wire::toWire(lease, request.initLease());
          request.setWaitNs(wait.count());
          return request.send().then([](auto&& response) -> base::Result<model::ArriveAnswer> {
            auto result = response.getResult();
            if (result.isError()) return wire::fromWire(result.getError());
            return wire::fromWire(result.getAnswer());
          });
        },
        wait);
  }

  base::Status progress(const model::LeaseRef& lease, const std::string& text) override {
    auto sent = call<bool>([&](AgentSession::Client session) {
      auto request = session.progressRequest();
      wire::toWire(lease, request.initLease());
      request.setText(text);
      return request.send().then([](auto&&) { return base::Result<bool>(true); });
    });
    if (!sent) return sent.error();
    return {};
  }

  base::Result<core::IngestReply> log(const model::LeaseRef& lease, const std::string& stream,
                                      std::uint32_t sequence, const std::string& text) override {
    return call<core::IngestReply>([&](AgentSession::Client session) {
      auto request = session.logRequest();
      wire::toWire(lease, request.initLease());
      request.setStream(stream);
      request.setSequence(sequence);
      request.setText(text);
      return request.send().then(
          [](auto&& response) { return decodeIngest(response.getResult()); });
    });
  }

  void stop() override {
    if (client_) client_->shutdown();
  }

 private:
  kj::Promise<base::Status> registerOn(schema::Coordinator::Client coordinator) {
    return coordinator.agentRequest().send().then(
        [this](auto&& response) -> kj::Promise<base::Status> {
          auto result = response.getResult();
          if (result.isError()) return base::Status(wire::fromWire(result.getError()));
          model::AgentHello hello;
          {
            std::lock_guard lock(helloMutex_);
            if (!hello_) {
              return base::Status(base::unavailable("the agent has not said who it is yet"));
            }
            hello = *hello_;
          }
          hello.wallClockNs = base::toUnixNanos(clock_.wall());
          auto request = result.getGateway().registerRequest();
          wire::toWire(hello, request.initHello());
          return request.send().then([this](auto&& answer) -> base::Status {
            auto registered = answer.getResult();
            if (registered.isError()) return wire::fromWire(registered.getError());
            auto id = base::Uuid::parse(registered.getAgentId().cStr());
            if (!id) return base::internal("the coordinator named no agent id");
            loop_.info.agent = *id;
            loop_.info.heartbeat = base::Nanos(registered.getHeartbeatNs());
            loop_.session = registered.getSession();
            return {};
          });
        });
  }

  template <typename T, typename Fn>
  base::Result<T> call(Fn fn, base::Nanos extra = base::Nanos(0)) {
    return client_->call<T>(
        [this, &fn](schema::Coordinator::Client) -> Answer<T> {
          if (auto* session = wire::someOf(loop_.session)) return fn(*session);
          return base::Result<T>(base::unavailable("the connection has just been lost"));
        },
        callLimit_ + extra);
  }

  base::Nanos callLimit_;
  const base::Clock& clock_;
  std::mutex helloMutex_;
  std::optional<model::AgentHello> hello_;  // guarded by helloMutex_
  LoopState loop_;
  std::unique_ptr<wire::RpcClient> client_;  // last: its thread uses all of the above
};

}  // namespace

base::Result<std::unique_ptr<core::CoordinatorPort>> makeCoordinatorClient(
    const ClientOptions& options, const base::Clock& clock) {
  wire::RpcClientConfig config;
  config.addresses = options.coordinators;
  config.tls.caPem = options.caPem;
  config.tls.certificatePem = options.certificatePem;
  config.tls.keyPem = options.keyPem;
  auto client = std::make_unique<CoordinatorClient>(options.callLimit, clock);
  FM_TRY(client->start(std::move(config)));
  return std::unique_ptr<core::CoordinatorPort>(std::move(client));
}

}  // namespace fleetmark::agent::rpc
