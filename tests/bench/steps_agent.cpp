#include "tests/bench/steps_agent.h"

#include <kj/debug.h>

#include <algorithm>

#include "common/base/random.h"
#include "common/base/version.h"
#include "common/rpc/agent_wire_codec.h"
#include "tests/bench/steps_fleet.h"

namespace fleetmark::bench {

namespace {

constexpr auto kTakeWait = std::chrono::seconds(30);
constexpr auto kHeartbeat = 5 * kj::SECONDS;

// Each agent says that it is a machine of its own, else they would wait for each other.
model::AgentHello helloOf(const std::string& name) {
  model::AgentHello hello;
  hello.name = name;
  hello.version = base::kVersion;
  hello.labels = {{"agent", name}, {"os", "linux"}, {"arch", "x64"}};
  hello.probes = {"selftest/1"};
  hello.host.hostname = name;
  hello.host.os = "linux";
  hello.host.arch = "x64";
  hello.host.machineId = "simulated-" + name;
  hello.host.bootId = base::newUuid().toString();
  hello.host.machineKey = "simulated-" + name;
  hello.instanceNonce = base::newUuid().toString();
  hello.wallClockNs = base::toUnixNanos(base::SystemClock().wall());
  return hello;
}

model::SampleChunk oneSample() {
  model::Sample sample;
  sample.metric = "selftest_value";
  sample.startedAtNs = base::toUnixNanos(base::SystemClock().wall());
  sample.value = 42;
  return {0, {sample}};
}

void mustBeOk(schema::AgentSession::IngestResult::Reader result) {
  if (result.isError()) need(rpc::fromWire(result.getError()));
  KJ_REQUIRE(result.getAnswer() == schema::IngestAnswer::OK, "the coordinator did not take it",
             result.getAnswer());
}

}  // namespace

kj::Promise<void> StepLog::whenStored(std::size_t count) {
  if (stored >= count) return kj::READY_NOW;
  auto pair = kj::newPromiseAndFulfiller<void>();
  awaited_ = count;
  waiter_ = kj::mv(pair.fulfiller);
  return kj::mv(pair.promise);
}

void StepLog::noteStored(base::MonoTime at) {
  ++stored;
  lastStored = at;
  if (stored < awaited_) return;
  if (auto* waiter = rpc::someOf(waiter_)) {
    (*waiter)->fulfill();
    waiter_ = nullptr;
  }
}

SimulatedAgent::SimulatedAgent(rpc::UvLoop& loop, StepLog& log, rpc::TlsIdentity identity,
                               std::string name)
    : loop_(loop), log_(log), identity_(std::move(identity)), name_(std::move(name)) {}

kj::Promise<void> SimulatedAgent::start(const std::string& coordinator) {
  tls_ = need(rpc::TlsEndpoint::make(identity_));
  auto address = need(rpc::UvAddress::parse(coordinator));
  return rpc::ClientLink::open(loop_.port(), *tls_, address, rpc::RpcLimits())
      .then([this](base::Result<kj::Own<rpc::ClientLink>>&& link) {
        link_ = need(kj::mv(link));
        return link_->coordinator().agentRequest().send();
      })
      .then([this](auto&& response) {
        auto result = response.getResult();
        if (result.isError()) need(rpc::fromWire(result.getError()));
        return registerWith(result.getGateway());
      });
}

kj::Promise<void> SimulatedAgent::registerWith(schema::AgentGateway::Client gateway) {
  auto request = gateway.registerRequest();
  rpc::toWire(helloOf(name_), request.initHello());
  return request.send().then([this](auto&& response) {
    auto result = response.getResult();
    if (result.isError()) need(rpc::fromWire(result.getError()));
    session_ = result.getSession();
    failed_ = work().exclusiveJoin(heartbeat()).fork();
  });
}

kj::Promise<void> SimulatedAgent::heartbeat() {
  return loop_.timer()
      .afterDelay(kHeartbeat)
      .then([this] { return rpc::someOf(session_)->renewRequest().send(); })
      .then([this](auto&&) { return heartbeat(); });
}

kj::Promise<void> SimulatedAgent::work() {
  auto request = rpc::someOf(session_)->takeWorkRequest();
  request.setWaitNs(base::Nanos(kTakeWait).count());
  return request.send()
      .then([this](auto&& response) -> kj::Promise<void> {
        auto result = response.getResult();
        if (result.isError()) need(rpc::fromWire(result.getError()));
        if (!result.isAssignment()) return kj::READY_NOW;
        return doStep(result.getAssignment());
      })
      .then([this] { return work(); });
}

kj::Promise<void> SimulatedAgent::doStep(schema::Assignment::Reader assignment) {
  const auto assigned = clock_.mono();
  if (!log_.firstAssigned) log_.firstAssigned = assigned;
  log_.lastAssigned = assigned;
  if (completed_) log_.gaps.push_back(assigned - *completed_);
  const auto lease = need(rpc::fromWire(assignment)).lease;

  // As the agent does where an attempt has one chunk: the samples come with the end.
  auto complete = rpc::someOf(session_)->completeRequest();
  rpc::toWire(lease, complete.initLease());
  model::Completion completion;
  completion.chunkCount = 1;
  rpc::toWire(completion, complete.initCompletion());
  rpc::toWire(oneSample(), complete.initLastChunk());
  return complete.send().then([this, assigned](auto&& answer) {
    mustBeOk(answer.getResult());
    completed_ = clock_.mono();
    log_.completions.push_back(*completed_ - assigned);
    log_.noteStored(*completed_);
  });
}

}  // namespace fleetmark::bench
