#include "tests/bench/steps_fleet.h"

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/crypto/certificate.h"
#include "common/platform/files.h"
#include "common/rpc/common_wire_codec.h"

namespace fleetmark::bench {

namespace {

constexpr auto kStartLimit = std::chrono::seconds(90);
constexpr auto kStopLimit = std::chrono::seconds(30);
constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr std::size_t kMostFile = 16 * 1024 * 1024;

std::string campaignText(std::size_t steps) {
  std::string text = "campaign: no-op\nrunners: [{name: any}]\norder: declared\nprobes:\n";
  for (std::size_t i = 0; i < steps; ++i) text += "  - selftest: {samples: 1}\n";
  return text;
}

}  // namespace

StepsFleet::StepsFleet(rpc::UvLoop& loop, const std::string& program, const std::string& parent)
    : loop_(loop) {
  if (parent.empty()) {
    folder_ = need(platform::makeTemporaryFolder("fleetmark-bench-"));
  } else {
    folder_ = parent + "/fleetmark-bench-" + base::newUuid().toString().substr(0, 8);
    need(platform::makePrivateFolder(folder_));
  }
  try {
    start(program);
    connect();
  } catch (...) {
    process_.reset();
    (void)platform::removeTree(folder_);
    throw;
  }
}

StepsFleet::~StepsFleet() {
  operator_ = nullptr;
  link_ = nullptr;
  process_->terminate();
  if (!process_->wait(kStopLimit)) process_->killTree();
  process_.reset();
  (void)platform::removeTree(folder_);
}

void StepsFleet::start(const std::string& program) {
  const std::string addressFile = folder_ + "/address";
  const std::string log = folder_ + "/coordinator.log";
  platform::SpawnOptions options;
  options.program = program;
  options.arguments = {"--data-dir",  folder_ + "/data", "--listen",       "127.0.0.1:0",
                       "--log-level", "warning",         "--address-file", addressFile};
  options.environment = {"FLEETMARK_DATABASE="};
  options.stdoutFile = log;
  process_ = need(platform::spawn(options));
  const base::SystemClock clock;
  const auto deadline = clock.mono() + kStartLimit;
  while (!platform::exists(addressFile)) {
    if (process_->wait(base::Nanos(0)) || clock.mono() > deadline) {
      auto text = platform::readFile(log, kMostFile);
      KJ_FAIL_REQUIRE("the coordinator did not start", program.c_str(),
                      text ? text->c_str() : "it left no log");
    }
    KJ_REQUIRE(!platform::StopSignal::waitFor(kPoll), "stopped");
  }
  address_ = need(platform::readFile(addressFile, kMostFile));
  while (!address_.empty() && address_.back() == '\n') address_.pop_back();
}

void StepsFleet::connect() {
  const std::string identity = folder_ + "/data/pki/operator/";
  tls_ = need(
      rpc::TlsEndpoint::make({need(platform::readFile(identity + "ca.pem", kMostFile)),
                              need(platform::readFile(identity + "certificate.pem", kMostFile)),
                              need(platform::readFile(identity + "key.pem", kMostFile))}));
  link_ = need(rpc::ClientLink::open(loop_.port(), *tls_, need(rpc::UvAddress::parse(address_)),
                                     rpc::RpcLimits())
                   .wait(loop_.scope()));
  auto response = link_->coordinator().operatorRequest().send().wait(loop_.scope());
  auto result = response.getResult();
  if (result.isError()) need(rpc::fromWire(result.getError()));
  operator_ = result.getGateway();
}

rpc::TlsIdentity StepsFleet::enrol(const std::string& name) {
  rpc::TlsIdentity identity;
  identity.keyPem = need(crypto::makeKeyPem());
  auto request = rpc::someOf(operator_)->enrollRequest();
  request.setRole(schema::OperatorGateway::Role::AGENT);
  request.setName(name);
  request.setRequestPem(need(crypto::makeRequestPem(identity.keyPem, name)));
  auto response = request.send().wait(loop_.scope());
  auto result = response.getResult();
  if (result.isError()) need(rpc::fromWire(result.getError()));
  identity.certificatePem = result.getOk().getCertificatePem();
  identity.caPem = result.getOk().getCaPem();
  return identity;
}

kj::Promise<std::int64_t> StepsFleet::submit(std::size_t steps) {
  auto request = rpc::someOf(operator_)->submitRequest();
  auto body = request.initRequest();
  body.setYaml(campaignText(steps));
  body.setFileName("no-op.yaml");
  body.setRequestKey(base::newUuid().toString());
  return request.send().then([](auto&& response) -> std::int64_t {
    auto result = response.getResult();
    if (result.isError()) need(rpc::fromWire(result.getError()));
    return result.getCampaignId();
  });
}

CampaignEnd StepsFleet::end(std::int64_t campaign) {
  auto request = rpc::someOf(operator_)->statusRequest();
  request.setCampaign(std::to_string(campaign));
  auto response = request.send().wait(loop_.scope());
  auto result = response.getResult();
  if (result.isError()) need(rpc::fromWire(result.getError()));
  auto summary = result.getOk().getSummary();
  return {summary.getState(), summary.getStepsMeasured()};
}

kj::Promise<void> StepsFleet::watch(std::int64_t campaign, std::size_t& seen) {
  return watchFrom(campaign, "", seen);
}

kj::Promise<void> StepsFleet::watchFrom(std::int64_t campaign, std::string cursor,
                                        std::size_t& seen) {
  auto request = rpc::someOf(operator_)->watchRequest();
  request.setCampaignId(campaign);
  request.setCursor(cursor);
  request.setWaitNs(base::Nanos(std::chrono::seconds(5)).count());
  return request.send().then(
      [this, campaign, cursor = std::move(cursor), &seen](auto&& response) mutable {
        auto result = response.getResult();
        if (result.isError()) need(rpc::fromWire(result.getError()));
        auto events = result.getEvents();
        seen += events.size();
        if (events.size() > 0) cursor = events[events.size() - 1].getCursor();
        return watchFrom(campaign, std::move(cursor), seen);
      });
}

void StepsFleet::cancel(std::int64_t campaign) {
  auto request = rpc::someOf(operator_)->cancelRequest();
  request.setCampaign(std::to_string(campaign));
  request.send().wait(loop_.scope());
}

}  // namespace fleetmark::bench
