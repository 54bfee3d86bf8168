// The agent's settings: a small YAML file, overridden by flags and FLEETMARK_* variables.
//
//   coordinators: [bench.example:7411]
//   identity: /etc/fleetmark/agent       # certificate.pem, key.pem, ca.pem
//   name: local-a
//   state: /var/lib/fleetmark-agent
//   labels: {region: eu-west}
//   spool: 256MiB
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"
#include "common/model/host.h"

namespace fleetmark::agent::config {

struct AgentConfig {
  std::vector<std::string> coordinators;  // host:port
  std::string identity;                   // folder
  std::string name;                       // empty: the host's name
  std::string state;                      // folder
  model::Labels labels;
  base::Bytes spool{256 * base::kMiB};
  bool operator==(const AgentConfig&) const = default;
};

// Unknown keys, values of a wrong kind and duplicates are kInvalid with "<file>:<line>:<column>".
base::Result<AgentConfig> parseConfig(std::string_view yaml, const std::string& fileName);
// kNotFound, kDenied; at most 64 KiB.
base::Result<AgentConfig> loadConfig(const std::string& path);

// What was given by flag or variable replaces the file's value; labels are merged key by key.
struct Overrides {
  std::vector<std::string> coordinators;
  std::optional<std::string> identity;
  std::optional<std::string> name;
  std::optional<std::string> state;
  std::vector<std::string> labels;  // "key=value"
};
base::Status applyOverrides(const Overrides& overrides, AgentConfig& config);

// Everything that is needed to run is there and well formed.
base::Status checkConfig(const AgentConfig& config);

// The host's facts as labels (os, arch, cpu_model, virtualisation, hostname), agent=<name>, and
// the configured ones. kInvalid when a configured label would say otherwise than the host does.
base::Result<model::Labels> agentLabels(const model::HostFacts& host, const std::string& name,
                                        const model::Labels& configured);

struct Identity {
  std::string certificatePem;
  std::string keyPem;  // secret
  std::string caPem;
};
// kDenied when others may read the key.
base::Result<Identity> loadIdentity(const std::string& folder);

}  // namespace fleetmark::agent::config
