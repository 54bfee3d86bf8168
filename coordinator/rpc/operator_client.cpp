#include "coordinator/rpc/operator_client.h"

#include <capnp/capability.h>

#include <optional>

#include "common/crypto/digest.h"
#include "common/rpc/common_wire_codec.h"
#include "common/rpc/rpc_client.h"
#include "coordinator/rpc/operator_wire_codec.h"

namespace fleetmark::coordinator::rpc {

namespace {

using schema::OperatorGateway;
template <typename T>
using Answer = kj::Promise<base::Result<T>>;

constexpr std::uint32_t kReportPiece = 1024 * 1024;  // bytes asked for at a time

// A whole report on its way in; lives on the loop thread.
struct ReportTransfer {
  schema::ReportFile::Client file;
  ports::RenderedReport report;
  std::uint64_t size = 0;
  std::string sha256;
};

Answer<ports::RenderedReport> readRest(kj::Own<ReportTransfer> transfer) {
  if (transfer->report.content.size() >= transfer->size) {
    if (crypto::sha256Hex(transfer->report.content) != transfer->sha256) {
      return base::Result<ports::RenderedReport>(
          base::internal("the report arrived damaged (SHA-256 differs); ask for it again"));
    }
    return base::Result<ports::RenderedReport>(std::move(transfer->report));
  }
  auto request = transfer->file.readRequest();
  request.setOffset(transfer->report.content.size());
  request.setSizeBytes(kReportPiece);
  return request.send().then(
      [transfer = kj::mv(transfer)](auto&& response) mutable -> Answer<ports::RenderedReport> {
        auto bytes = response.getBytes();
        if (bytes.size() == 0) {
          return base::Result<ports::RenderedReport>(
              base::internal("the report ended before its size was reached"));
        }
        transfer->report.content.append(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
        return readRest(kj::mv(transfer));
      });
}

class OperatorClient final : public ports::OperatorPort {
 public:
  OperatorClient(std::unique_ptr<fleetmark::rpc::RpcClient> client, base::Nanos timeLimit)
      : client_(std::move(client)), timeLimit_(timeLimit) {}

  base::Result<base::CampaignId> submit(const ports::SubmitOptions& options) override {
    return call<base::CampaignId>([&options](OperatorGateway::Client gateway) {
      auto request = gateway.submitRequest();
      toWire(options, request.initRequest());
      return request.send().then([](auto&& response) -> base::Result<base::CampaignId> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        return base::CampaignId{result.getCampaignId()};
      });
    });
  }

  base::Result<ports::CampaignStatus> status(const std::string& campaign) override {
    using Out = ports::CampaignStatus;
    return call<Out>([&campaign](OperatorGateway::Client gateway) {
      auto request = gateway.statusRequest();
      request.setCampaign(campaign);
      return request.send().then([](auto&& response) -> base::Result<Out> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        Out out;
        FM_TRY_ASSIGN(out.summary, fromWire(result.getOk().getSummary()));
        for (auto step : result.getOk().getSteps()) {
          FM_TRY_ASSIGN(auto decoded, fromWire(step));
          out.steps.push_back(std::move(decoded));
        }
        return out;
      });
    });
  }

  base::Result<std::vector<ports::CampaignSummary>> list(std::uint32_t limit) override {
    using Out = std::vector<ports::CampaignSummary>;
    return call<Out>([limit](OperatorGateway::Client gateway) {
      auto request = gateway.listRequest();
      request.setLimit(limit);
      return request.send().then([](auto&& response) -> base::Result<Out> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        return decodeAll<ports::CampaignSummary>(result.getCampaigns());
      });
    });
  }

  base::Result<std::vector<ports::CampaignEvent>> watch(base::CampaignId id,
                                                        const std::string& cursor,
                                                        base::Nanos wait) override {
    using Out = std::vector<ports::CampaignEvent>;
    return call<Out>(
        [&](OperatorGateway::Client gateway) {
          auto request = gateway.watchRequest();
          request.setCampaignId(id.value);
          request.setCursor(cursor);
          request.setWaitNs(wait.count());
          return request.send().then([](auto&& response) -> base::Result<Out> {
            auto result = response.getResult();
            if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
            return decodeAll<ports::CampaignEvent>(result.getEvents());
          });
        },
        wait);
  }

  base::Result<domain::CampaignState> cancel(const std::string& campaign) override {
    return campaignState([](OperatorGateway::Client gateway) { return gateway.cancelRequest(); },
                         campaign);
  }
  base::Result<domain::CampaignState> pause(const std::string& campaign) override {
    return campaignState([](OperatorGateway::Client gateway) { return gateway.pauseRequest(); },
                         campaign);
  }
  base::Result<domain::CampaignState> resume(const std::string& campaign) override {
    return campaignState([](OperatorGateway::Client gateway) { return gateway.resumeRequest(); },
                         campaign);
  }

  base::Result<ports::JobReasons> why(const std::string& job) override {
    return call<ports::JobReasons>([&job](OperatorGateway::Client gateway) {
      auto request = gateway.whyRequest();
      request.setJob(job);
      return request.send().then([](auto&& response) -> base::Result<ports::JobReasons> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        return fromWire(result.getOk());
      });
    });
  }

  base::Result<ports::AgentView> setAgent(const std::string& agent,
                                          ports::AgentWish wish) override {
    return call<ports::AgentView>([&](OperatorGateway::Client gateway) {
      auto request = gateway.setAgentRequest();
      request.setAgent(agent);
      request.setWish(toWire(wish));
      return request.send().then([](auto&& response) -> base::Result<ports::AgentView> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        return fromWire(result.getAgent());
      });
    });
  }

  base::Result<std::vector<ports::AgentView>> agents() override {
    using Out = std::vector<ports::AgentView>;
    return call<Out>([](OperatorGateway::Client gateway) {
      return gateway.agentsRequest().send().then([](auto&& response) -> base::Result<Out> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        return decodeAll<ports::AgentView>(result.getAgents());
      });
    });
  }

  base::Result<ports::RenderedReport> report(const std::string& campaign,
                                             ports::ReportFormat format) override {
    using Out = ports::RenderedReport;
    return call<Out>([&](OperatorGateway::Client gateway) {
      auto request = gateway.reportRequest();
      request.setCampaign(campaign);
      request.setFormat(toWire(format));
      return request.send().then([](auto&& response) -> Answer<Out> {
        auto result = response.getResult();
        if (result.isError()) {
          return base::Result<Out>(fleetmark::rpc::fromWire(result.getError()));
        }
        auto transfer = kj::heap<ReportTransfer>(ReportTransfer{result.getFile(), {}, 0, {}});
        auto info = transfer->file.infoRequest().send();
        return info.then([transfer = kj::mv(transfer)](auto&& answer) mutable -> Answer<Out> {
          transfer->report.name = answer.getName().cStr();
          transfer->size = answer.getSizeBytes();
          transfer->sha256 = answer.getSha256().cStr();
          return readRest(kj::mv(transfer));
        });
      });
    });
  }

  base::Result<ports::Table> sql(const std::string& statement, std::uint32_t maxRows) override {
    return call<ports::Table>([&](OperatorGateway::Client gateway) {
      auto request = gateway.sqlRequest();
      request.setStatement(statement);
      request.setMaxRows(maxRows);
      return request.send().then([](auto&& response) -> base::Result<ports::Table> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        return fromWire(result.getTable());
      });
    });
  }

  base::Result<ports::Enrolment> enroll(ports::Role role, const std::string& name,
                                        const std::string& requestPem) override {
    using Out = ports::Enrolment;
    return call<Out>([&](OperatorGateway::Client gateway) {
      auto request = gateway.enrollRequest();
      request.setRole(toWire(role));
      request.setName(name);
      request.setRequestPem(requestPem);
      return request.send().then([](auto&& response) -> base::Result<Out> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        Out out;
        out.certificatePem = result.getOk().getCertificatePem().cStr();
        out.caPem = result.getOk().getCaPem().cStr();
        out.subject = result.getOk().getSubject().cStr();
        return out;
      });
    });
  }

 private:
  // make(gateway): a request that names a campaign and is answered with its state.
  template <typename Make>
  base::Result<domain::CampaignState> campaignState(Make make, const std::string& campaign) {
    using Out = domain::CampaignState;
    return call<Out>([&](OperatorGateway::Client gateway) {
      auto request = make(gateway);
      request.setCampaign(campaign);
      return request.send().then([](auto&& response) -> base::Result<Out> {
        auto result = response.getResult();
        if (result.isError()) return fleetmark::rpc::fromWire(result.getError());
        auto state = domain::parseCampaignState(result.getState().cStr());
        if (!state) return base::internal("the campaign's state is unknown to this version");
        return *state;
      });
    });
  }

  template <typename T, typename List>
  static base::Result<std::vector<T>> decodeAll(List list) {
    std::vector<T> out;
    for (auto item : list) {
      FM_TRY_ASSIGN(auto decoded, fromWire(item));
      out.push_back(std::move(decoded));
    }
    return out;
  }

  // fn(gateway) -> promise; the gateway is asked for in front of each call, pipelined.
  template <typename T, typename Fn>
  base::Result<T> call(Fn fn, base::Nanos extra = base::Nanos(0)) {
    return client_->call<T>(
        [&fn](schema::Coordinator::Client coordinator) -> Answer<T> {
          return coordinator.operatorRequest().send().then([&fn](auto&& response) -> Answer<T> {
            auto result = response.getResult();
            if (result.isError()) {
              return base::Result<T>(fleetmark::rpc::fromWire(result.getError()));
            }
            return fn(result.getGateway());
          });
        },
        timeLimit_ + extra);
  }

  std::unique_ptr<fleetmark::rpc::RpcClient> client_;
  base::Nanos timeLimit_;
};

}  // namespace

base::Result<std::unique_ptr<ports::OperatorPort>> makeOperatorClient(
    const OperatorClientOptions& options) {
  fleetmark::rpc::RpcClientConfig config;
  config.addresses = options.coordinators;
  config.tls.caPem = options.caPem;
  config.tls.certificatePem = options.certificatePem;
  config.tls.keyPem = options.keyPem;
  config.patience = options.patience;
  config.backoffCap = std::chrono::seconds(1);
  FM_TRY_ASSIGN(auto client, fleetmark::rpc::RpcClient::start(std::move(config)));
  return std::unique_ptr<ports::OperatorPort>(
      std::make_unique<OperatorClient>(std::move(client), options.timeLimit));
}

}  // namespace fleetmark::coordinator::rpc
