#include "coordinator/cli/connection.h"

#include <cstdlib>

#include "common/platform/files.h"
#include "common/platform/process.h"

namespace fleetmark::coordinator::cli {

namespace {

constexpr std::size_t kMaxPem = 64 * 1024;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> splitCommas(const std::string& text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    auto end = text.find(',', begin);
    if (end == std::string::npos) end = text.size();
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// Where an identity may stand when nobody names one.
std::vector<std::string> identityFolders() {
  std::vector<std::string> out;
  std::string config = environment("XDG_CONFIG_HOME");
  std::string data = environment("XDG_DATA_HOME");
  std::string home = environment("HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  if (data.empty() && !home.empty()) data = home + "/.local/share";
  if (!config.empty()) out.push_back(config + "/fleetmark/operator");
  if (platform::runningAsRoot()) out.push_back("/var/lib/fleetmark/pki/operator");
  if (!data.empty()) out.push_back(data + "/fleetmark/pki/operator");
  return out;
}

}  // namespace

base::Result<Connection> readIdentity(const std::string& folder,
                                      std::vector<std::string> coordinators) {
  Connection out;
  out.coordinators = std::move(coordinators);
  auto read = [&folder](const char* name) -> base::Result<std::string> {
    auto content = platform::readFile(folder + "/" + name, kMaxPem);
    if (!content) {
      return base::Error{content.error().code,
                         "identity folder " + folder + ": " + content.error().message};
    }
    return content;
  };
  FM_TRY_ASSIGN(out.certificatePem, read("certificate.pem"));
  FM_TRY_ASSIGN(out.keyPem, read("key.pem"));
  FM_TRY_ASSIGN(out.caPem, read("ca.pem"));
  return out;
}

base::Result<Connection> resolveConnection(const ConnectionFlags& flags) {
  auto coordinators = flags.coordinators;
  if (coordinators.empty()) coordinators = splitCommas(environment("FLEETMARK_COORDINATOR"));
  if (coordinators.empty()) coordinators.emplace_back(kDefaultCoordinator);
  std::string identity = flags.identity;
  if (identity.empty()) identity = environment("FLEETMARK_IDENTITY");
  if (!identity.empty()) return readIdentity(identity, std::move(coordinators));
  std::string looked;
  for (const auto& folder : identityFolders()) {
    if (platform::exists(folder + "/certificate.pem")) {
      return readIdentity(folder, std::move(coordinators));
    }
    looked += (looked.empty() ? "" : ", ") + folder;
  }
  return base::notFound("no operator identity found (looked in " + looked +
                        "); pass --identity FOLDER, or start fleetmark-coordinator on this "
                        "machine, which makes one at its first start");
}

}  // namespace fleetmark::coordinator::cli
