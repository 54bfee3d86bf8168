#include "common/model/host.h"

namespace fleetmark::model {

bool labelsMatch(const Labels& wanted, const Labels& have) {
  for (const auto& [key, value] : wanted) {
    auto found = have.find(key);
    if (found == have.end() || found->second != value) return false;
  }
  return true;
}

std::string describeLabels(const Labels& labels) {
  if (labels.empty()) return "(any)";
  std::string out;
  for (const auto& [key, value] : labels) {
    if (!out.empty()) out += ", ";
    out += key + "=" + value;
  }
  return out;
}

}  // namespace fleetmark::model
