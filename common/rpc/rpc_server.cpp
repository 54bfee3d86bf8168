#include "common/rpc/rpc_server.h"

namespace fleetmark::rpc {

base::Result<kj::Own<RpcServer>> RpcServer::listen(UvEventPort&, RpcServerConfig,
                                                   RpcServerCallbacks) {
  return base::unsupported("the RPC server is not in this build yet");
}

}  // namespace fleetmark::rpc
