// Short ways to load a campaign in these tests.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "coordinator/loader/campaign_loader.h"

namespace fleetmark::coordinator::loader {

inline base::Result<model::CampaignSpec> load(
    std::string_view text, const std::map<std::string, std::string>& variables = {}) {
  return loadCampaign(text, "c.yaml", variables, 7);
}

// The error's message, or "" when the text loads.
inline std::string faultsOf(std::string_view text,
                            const std::map<std::string, std::string>& variables = {}) {
  auto spec = load(text, variables);
  return spec ? "" : spec.error().message;
}

// A file of the repository. Empty when it can't be read.
inline std::string repositoryFile(const std::string& path) {
  const char* root = std::getenv("FLEETMARK_SOURCE");
  std::ifstream in(std::string(root == nullptr ? "." : root) + "/" + path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace fleetmark::coordinator::loader
