#include "common/rpc/rpc_client.h"

namespace fleetmark::rpc {

base::Result<std::unique_ptr<RpcClient>> RpcClient::start(RpcClientConfig, RpcClientHooks) {
  return base::unsupported("the RPC client is not in this build yet");
}

}  // namespace fleetmark::rpc
