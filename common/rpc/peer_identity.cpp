#include "common/rpc/peer_identity.h"

#include <algorithm>
#include <optional>

#include "common/base/ids.h"

namespace fleetmark::rpc {
namespace {

constexpr std::size_t kMaxCommonName = 64;  // ub-common-name of RFC 5280
constexpr std::size_t kMaxId = 36;          // a UUID's length
constexpr std::size_t kMaxSerial = 40;      // 20 octets, RFC 5280 4.1.2.2

std::optional<PeerRole> parseRole(std::string_view word) {
  for (PeerRole role : {PeerRole::kAgent, PeerRole::kOperator, PeerRole::kCoordinator}) {
    if (word == toString(role)) return role;
  }
  return std::nullopt;
}

bool isIdCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool isLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// The peer chose these bytes: shown only as far as they are harmless in a log line.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, kMaxCommonName));
  for (char& c : out) {
    if (c < ' ' || c > '~' || c == '"') c = '?';
  }
  return out;
}

base::Error refuse(std::string_view commonName, std::string_view why) {
  return base::invalid("certificate name \"" + printable(commonName) + "\": " + std::string(why) +
                       "; expected role:id:serial as fleetmark's own CA writes it");
}

}  // namespace

std::string_view toString(PeerRole role) {
  switch (role) {
    case PeerRole::kAgent:
      return "agent";
    case PeerRole::kOperator:
      return "operator";
    case PeerRole::kCoordinator:
      return "coordinator";
  }
  return "unknown";
}

std::string PeerIdentity::label() const { return std::string(toString(role)) + ":" + id; }

base::Result<PeerIdentity> parsePeerIdentity(std::string_view commonName) {
  if (commonName.size() > kMaxCommonName) return refuse(commonName, "longer than 64 characters");
  const std::size_t first = commonName.find(':');
  const std::size_t last = commonName.rfind(':');
  if (first == std::string_view::npos || first == last) {
    return refuse(commonName, "not in three parts");
  }
  const std::string_view roleWord = commonName.substr(0, first);
  const std::string_view id = commonName.substr(first + 1, last - first - 1);
  const std::string_view serial = commonName.substr(last + 1);

  const auto role = parseRole(roleWord);
  if (!role) return refuse(commonName, "unknown role");
  if (id.empty() || id.size() > kMaxId || !std::all_of(id.begin(), id.end(), isIdCharacter)) {
    return refuse(commonName, "malformed id");
  }
  if (*role == PeerRole::kAgent) {
    const auto uuid = base::Uuid::parse(id);
    if (!uuid || uuid->toString() != id) return refuse(commonName, "an agent's id is a UUID");
  }
  if (serial.empty() || serial.size() > kMaxSerial || serial.size() % 2 != 0 ||
      !std::all_of(serial.begin(), serial.end(), isLowerHex)) {
    return refuse(commonName, "malformed serial");
  }
  PeerIdentity peer;
  peer.role = *role;
  peer.id = id;
  peer.serialHex = serial;
  return peer;
}

base::Result<std::string> formatCommonName(PeerRole role, std::string_view id,
                                           std::string_view serialHex) {
  std::string name(toString(role));
  name.append(":").append(id).append(":").append(serialHex);
  FM_TRY(parsePeerIdentity(name));
  return name;
}

}  // namespace fleetmark::rpc
