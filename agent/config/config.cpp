#include "agent/config/config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <set>

#include "agent/config/one_document.h"
#include "common/platform/files.h"

namespace fleetmark::agent::config {

namespace {

constexpr std::size_t kMostText = 64 * 1024;
constexpr std::size_t kMostPem = 64 * 1024;
constexpr std::size_t kMostLabels = 100;
constexpr std::size_t kLongestValue = 256;
constexpr std::array<std::string_view, 6> kKeys = {"coordinators", "identity", "name",
                                                   "state",        "labels",   "spool"};

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string unknownKey(std::string_view key) {
  std::string message = "unknown key '" + std::string(key.substr(0, 60)) + "'";
  auto nearest = std::min_element(kKeys.begin(), kKeys.end(), [&](auto a, auto b) {
    return distance(key.substr(0, 60), a) < distance(key.substr(0, 60), b);
  });
  if (distance(key.substr(0, 60), *nearest) <= 3) {
    return message + "; did you mean '" + std::string(*nearest) + "'?";
  }
  return message + "; known are coordinators, identity, name, state, labels and spool";
}

bool plainText(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

base::Status checkLabel(std::string_view key, std::string_view value) {
  bool keyFine =
      !key.empty() && key.size() <= 63 && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.' || c == '/';
      });
  if (!keyFine) {
    return base::invalid("label name '" + std::string(key.substr(0, 80)) +
                         "' is not 1 to 63 letters, digits, '_', '-', '.' or '/'");
  }
  if (value.empty() || value.size() > kLongestValue || !plainText(value)) {
    return base::invalid("the value of label '" + std::string(key) + "' is not 1 to " +
                         std::to_string(kLongestValue) + " printable bytes");
  }
  return {};
}

base::Status checkAddress(const std::string& address) {
  auto colon = address.rfind(':');
  bool fine = colon != std::string::npos && colon > 0 && address.size() - colon - 1 <= 5 &&
              colon + 1 < address.size() && plainText(address) &&
              address.find(' ') == std::string::npos &&
              std::all_of(address.begin() + static_cast<std::ptrdiff_t>(colon) + 1, address.end(),
                          [](char c) { return c >= '0' && c <= '9'; });
  int port = fine ? std::stoi(address.substr(colon + 1)) : 0;
  if (port < 1 || port > 65535) {
    return base::invalid("coordinator address '" + address.substr(0, 80) +
                         "' is not host:port with a port from 1 to 65535");
  }
  return {};
}

class Reader {
 public:
  explicit Reader(const std::string& fileName) : fileName_(fileName) {}

  base::Result<AgentConfig> read(const YAML::Node& root) {
    AgentConfig config;
    if (root.IsNull()) return config;
    if (!root.IsMap()) return at(root, "the configuration is no mapping of keys to values");
    std::set<std::string> seen;
    for (const auto& item : root) {
      if (!item.first.IsScalar()) return at(item.first, "a key is no plain text");
      const std::string& key = item.first.Scalar();
      if (!seen.insert(key).second) return at(item.first, "key '" + key + "' stands here twice");
      FM_TRY(readKey(key, item.first, item.second, config));
    }
    return config;
  }

 private:
  base::Error at(const YAML::Node& node, const std::string& what) const {
    return base::invalid(fileName_ + ":" + std::to_string(node.Mark().line + 1) + ":" +
                         std::to_string(node.Mark().column + 1) + ": " + what);
  }

  base::Status readKey(const std::string& key, const YAML::Node& keyNode, const YAML::Node& value,
                       AgentConfig& config) {
    if (key == "coordinators") return readCoordinators(value, config);
    if (key == "labels") return readLabels(value, config);
    if (key == "identity") return readText(key, value, config.identity);
    if (key == "name") return readText(key, value, config.name);
    if (key == "state") return readText(key, value, config.state);
    if (key == "spool") {
      std::string text;
      FM_TRY(readText(key, value, text));
      auto bytes = base::parseBytes(text);
      if (!bytes) return at(value, bytes.error().message);
      config.spool = *bytes;
      return {};
    }
    return at(keyNode, unknownKey(key));
  }

  base::Status readText(const std::string& key, const YAML::Node& value, std::string& out) {
    if (!value.IsScalar() || value.Scalar().empty() || !plainText(value.Scalar())) {
      return at(value, "'" + key + "' takes one line of text");
    }
    out = value.Scalar();
    return {};
  }

  base::Status readCoordinators(const YAML::Node& value, AgentConfig& config) {
    if (value.IsScalar()) {
      config.coordinators = {value.Scalar()};
    } else if (value.IsSequence()) {
      for (const auto& item : value) {
        if (!item.IsScalar()) return at(item, "a coordinator is written host:port");
        config.coordinators.push_back(item.Scalar());
      }
    } else {
      return at(value, "'coordinators' takes a list of host:port");
    }
    for (const auto& address : config.coordinators) {
      auto fine = checkAddress(address);
      if (!fine) return at(value, fine.error().message);
    }
    return {};
  }

  base::Status readLabels(const YAML::Node& value, AgentConfig& config) {
    if (!value.IsMap()) return at(value, "'labels' takes a mapping of names to values");
    for (const auto& item : value) {
      if (!item.first.IsScalar() || !item.second.IsScalar()) {
        return at(item.first, "a label is one name and one value");
      }
      auto fine = checkLabel(item.first.Scalar(), item.second.Scalar());
      if (!fine) return at(item.first, fine.error().message);
      if (!config.labels.emplace(item.first.Scalar(), item.second.Scalar()).second) {
        return at(item.first, "label '" + item.first.Scalar() + "' stands here twice");
      }
    }
    return {};
  }

  std::string fileName_;
};

}  // namespace

base::Result<AgentConfig> parseConfig(std::string_view yaml, const std::string& fileName) {
  if (yaml.size() > kMostText) {
    return base::invalid(fileName + " has " + std::to_string(yaml.size()) +
                         " bytes, a configuration has at most " + std::to_string(kMostText));
  }
  try {
    std::string text(yaml);
    if (!holdsOneDocument(text)) {
      return base::invalid(fileName + " holds more than one YAML document; keep the first");
    }
    return Reader(fileName).read(YAML::Load(text));
  } catch (const YAML::Exception& e) {
    return base::invalid(fileName + ":" + std::to_string(e.mark.line + 1) + ":" +
                         std::to_string(e.mark.column + 1) + ": not valid YAML: " + e.msg);
  }
}

base::Result<AgentConfig> loadConfig(const std::string& path) {
  FM_TRY_ASSIGN(auto text, platform::readFile(path, kMostText));
  return parseConfig(text, path);
}

base::Status applyOverrides(const Overrides& overrides, AgentConfig& config) {
  if (!overrides.coordinators.empty()) config.coordinators = overrides.coordinators;
  if (overrides.identity) config.identity = *overrides.identity;
  if (overrides.name) config.name = *overrides.name;
  if (overrides.state) config.state = *overrides.state;
  for (const auto& label : overrides.labels) {
    auto equals = label.find('=');
    if (equals == std::string::npos) {
      return base::invalid("label '" + label.substr(0, 80) + "' is not written name=value");
    }
    std::string key = label.substr(0, equals);
    std::string value = label.substr(equals + 1);
    FM_TRY(checkLabel(key, value));
    config.labels[key] = value;
  }
  return {};
}

base::Status checkConfig(const AgentConfig& config) {
  if (config.coordinators.empty()) {
    return base::invalid(
        "no coordinator is named; give --coordinator host:port or 'coordinators' in the file");
  }
  for (const auto& address : config.coordinators) {
    FM_TRY(checkAddress(address));
  }
  if (config.identity.empty()) {
    return base::invalid(
        "no identity folder is named; give --identity DIR or 'identity' in the file; it holds "
        "certificate.pem, key.pem and ca.pem");
  }
  if (config.state.empty()) {
    return base::invalid("no state folder is named; give --state DIR or 'state' in the file");
  }
  if (config.name.size() > 63) return base::invalid("the agent's name is over 63 bytes");
  if (config.labels.size() > kMostLabels) {
    return base::invalid("there are " + std::to_string(config.labels.size()) + " labels, at most " +
                         std::to_string(kMostLabels) + " are taken");
  }
  if (config.spool.count < base::kMiB) {
    return base::invalid("'spool' is " + base::formatBytes(config.spool) +
                         ", at least 1 MiB is needed");
  }
  return {};
}

base::Result<model::Labels> agentLabels(const model::HostFacts& host, const std::string& name,
                                        const model::Labels& configured) {
  model::Labels labels;
  auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) labels[key] = value.substr(0, kLongestValue);
  };
  put("os", host.os);
  put("arch", host.arch);
  put("cpu_model", host.cpuModel);
  put("virtualisation", host.virtualisation);
  put("hostname", host.hostname);
  put("agent", name);
  for (const auto& [key, value] : configured) {
    auto [known, added] = labels.emplace(key, value);
    if (!added && known->second != value) {
      return base::invalid("label '" + key + "' is configured as '" + value +
                           "' but this host says '" + known->second +
                           "'; choose another name for the label");
    }
  }
  return labels;
}

base::Result<Identity> loadIdentity(const std::string& folder) {
  Identity identity;
  FM_TRY_ASSIGN(identity.certificatePem, platform::readFile(folder + "/certificate.pem", kMostPem));
  std::string keyPath = folder + "/key.pem";
  FM_TRY_ASSIGN(identity.keyPem, platform::readFile(keyPath, kMostPem));
  FM_TRY_ASSIGN(identity.caPem, platform::readFile(folder + "/ca.pem", kMostPem));
  namespace fs = std::filesystem;
  std::error_code failed;
  auto mode = fs::status(keyPath, failed).permissions();
  if (!failed && (mode & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none) {
    return base::denied("others may read or change the private key " + keyPath +
                        "; run: chmod 600 " + keyPath);
  }
  return identity;
}

}  // namespace fleetmark::agent::config
