// ${name} in the values of a campaign. It stands for text: it can't bring YAML structure in.
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

// In flow style ({a: ${name}}) the braces of a variable would end the value. They are shielded by
// private characters, one for one so that columns stay, before the text is parsed, and unshielded
// in what comes out.
std::string shieldVariables(std::string_view text);
std::string unshieldVariables(std::string text);

// Replaces every ${name} in scalar values (never in keys). Reports variables without a value,
// malformed ones, and given ones that nothing uses.
void replaceVariables(Node& root, const Variables& variables, Issues& issues);

}  // namespace fleetmark::coordinator::loader
