#pragma once

#include <string>

namespace fleetmark::agent::config {

// False when something stands after the first document. Throws what yaml-cpp throws.
//
// YAML::LoadAll can't be asked: given a document that ends before its line does, as in ", b]", it
// makes empty documents until the memory is gone (yaml-cpp 0.7).
bool holdsOneDocument(const std::string& yaml);

}  // namespace fleetmark::agent::config
