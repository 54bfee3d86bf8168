#pragma once

#include <string_view>

namespace fleetmark::base {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace fleetmark::base
