#include "common/rpc/rpc_client.h"

#include <kj/exception.h>

#include <thread>
#include <utility>

#include "common/base/log.h"
#include "common/rpc/client_inbox.h"
#include "common/rpc/client_session.h"
#include "common/rpc/client_status.h"
#include "common/rpc/kj_error.h"
#include "common/rpc/tls.h"
#include "common/rpc/uv_address.h"

namespace fleetmark::rpc {
namespace {

class RpcClientImpl final : public RpcClient {
 public:
  RpcClientImpl(RpcClientConfig config, std::vector<UvAddress> addresses, RpcClientHooks hooks)
      : config_(std::move(config)), addresses_(std::move(addresses)), hooks_(kj::mv(hooks)) {
    thread_ = std::thread([this] { loop(); });
  }
  ~RpcClientImpl() override { RpcClientImpl::shutdown(); }

  bool connected() const override { return status_.connected(); }
  std::uint64_t generation() const override { return status_.generation(); }
  std::optional<base::Error> lastError() const override { return status_.lastError(); }
  void dropConnection() override { inbox_.postDrop(); }

  void shutdown() override {
    inbox_.postStop();
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
  }

 private:
  base::Status runBlocking(Body body, base::Nanos timeLimit) override {
    ClientCall call(body, timeLimit);
    if (!inbox_.post(call)) return base::unavailable("the client is shut down");
    return call.wait();
  }

  void loop() {
    try {
      UvLoop loop;
      auto tls = TlsEndpoint::make(config_.tls);
      FM_CHECK(tls.has_value());  // start() has tried
      ClientSession session(loop.port(), config_, addresses_, kj::mv(*tls), hooks_, status_);
      serve(session).wait(loop.scope());
    } catch (const kj::Exception& e) {
      base::log(base::LogLevel::kError, "rpc.client_loop_failed", {{"reason", describe(e)}});
    }
    for (ClientCall* call : inbox_.close().calls) {
      call->finish(base::unavailable("the client is shut down"));
    }
  }

  kj::Promise<void> serve(ClientSession& session) {
    return inbox_.whenPosted().then([this, &session]() -> kj::Promise<void> {
      auto batch = inbox_.take();
      for (ClientCall* call : batch.calls) session.start(*call);
      if (batch.stop) return kj::READY_NOW;
      if (batch.drop) session.dropConnection();
      return serve(session);
    });
  }

  const RpcClientConfig config_;
  const std::vector<UvAddress> addresses_;
  RpcClientHooks hooks_;  // the loop thread's
  ClientStatus status_;
  ClientInbox inbox_;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace

base::Result<std::unique_ptr<RpcClient>> RpcClient::start(RpcClientConfig config,
                                                          RpcClientHooks hooks) {
  if (config.addresses.empty()) {
    return base::invalid("no coordinator address given; name at least one as host:port");
  }
  std::vector<UvAddress> addresses;
  for (const std::string& text : config.addresses) {
    FM_TRY_ASSIGN(UvAddress address, UvAddress::parse(text));
    addresses.push_back(std::move(address));
  }
  FM_TRY(TlsEndpoint::make(config.tls));  // refused here rather than at the first call
  std::unique_ptr<RpcClient> client =
      std::make_unique<RpcClientImpl>(std::move(config), std::move(addresses), kj::mv(hooks));
  return client;
}

}  // namespace fleetmark::rpc
