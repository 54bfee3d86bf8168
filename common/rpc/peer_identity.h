// Who a peer is, as its certificate's common name says: "<role>:<id>:<serial>".
//
//   agent:3f2c...:0123456789abcd      id is the agent's UUID
//   operator:alice:0123456789abcd     id is 1 to 36 of a-z A-Z 0-9 . _ -
//   coordinator:main:0123456789abcd
//
// X.509 allows 64 characters in a common name, and it is all of the certificate that the TLS layer
// shows us, so role and serial stand there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fleetmark::rpc {

// The name in every coordinator's certificate (subjectAltName) that clients check. Machines move
// and get new addresses, and the CA is the fleet's own; so what must be proved is that the peer is
// a coordinator of this fleet, not that it answers to some host name.
inline constexpr std::string_view kCoordinatorTlsName = "fleetmark-coordinator";

enum class PeerRole { kAgent, kOperator, kCoordinator };

std::string_view toString(PeerRole role);  // "agent", "operator", "coordinator"

struct PeerIdentity {
  PeerRole role = PeerRole::kAgent;
  std::string id;
  std::string serialHex;  // lower case, as in crypto::describe
  // Set by RpcServer, not part of the common name.
  std::string address;           // "192.0.2.7:41234", for people
  std::uint64_t connection = 0;  // counts connections of this server; 0: none

  // For logs: "agent:<id>".
  std::string label() const;
};

// Strict: exactly three parts, known role, well-formed id and serial, at most 64 characters.
// kInvalid says what is wrong.
base::Result<PeerIdentity> parsePeerIdentity(std::string_view commonName);
// The common name; kInvalid when it would not parse back.
base::Result<std::string> formatCommonName(PeerRole role, std::string_view id,
                                           std::string_view serialHex);

}  // namespace fleetmark::rpc
