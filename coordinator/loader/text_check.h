// What can be said of a campaign's text before anything parses it.
#pragma once

#include <cstddef>
#include <string_view>

#include "coordinator/loader/issues.h"

namespace fleetmark::coordinator::loader {

inline constexpr std::size_t kMostText = 1024 * 1024;

// Size, UTF-8, control characters, tabs as indentation. Reports the first fault of each kind and
// returns false when there is one.
bool checkText(std::string_view text, Issues& issues);

// Well-formed UTF-8 (no overlong forms, no surrogates): npos, else the offset of the first fault.
std::size_t findInvalidUtf8(std::string_view text);

}  // namespace fleetmark::coordinator::loader
