@0x94d60fa2be371c58;
# The first interface on a connection. Which gateway a peer may have follows from the role in its
# certificate.

using Cxx = import "/capnp/c++.capnp";
using Common = import "common.capnp";
using Agent = import "agent.capnp";
using Operator = import "operator.capnp";
$Cxx.namespace("fleetmark::schema");

interface Coordinator {
  # Cheap and always allowed: in TLS 1.3 a rejected client learns of it at its first call.
  ping @0 () -> (version :Text, role :Text, wallClockNs :Int64);
  agent @1 () -> (result :AgentResult);
  operator @2 () -> (result :OperatorResult);

  struct AgentResult {
    union {
      error @0 :Common.Error;
      gateway @1 :Agent.AgentGateway;
    }
  }
  struct OperatorResult {
    union {
      error @0 :Common.Error;
      gateway @1 :Operator.OperatorGateway;
    }
  }
}
