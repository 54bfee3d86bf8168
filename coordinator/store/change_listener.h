#pragma once

#include <memory>
#include <string>

#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::store {

// A connection of its own, made at the first wait and again after it was lost.
std::unique_ptr<ports::ChangeListener> openChangeListener(const std::string& connectionString);

}  // namespace fleetmark::coordinator::store
