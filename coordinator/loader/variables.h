// ${name} in the values of a campaign.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "coordinator/loader/issues.h"
#include "coordinator/loader/yaml_tree.h"

namespace fleetmark::coordinator::loader {

using Variables = std::map<std::string, std::string>;

// [A-Za-z_][A-Za-z0-9_-]{0,62}
bool isVariableName(std::string_view name);

// Replaces every ${name} in scalar values (never in keys). Reports variables without a value,
// malformed ones, and given ones that nothing uses.
void replaceVariables(Node& root, const Variables& variables, Issues& issues);

}  // namespace fleetmark::coordinator::loader
