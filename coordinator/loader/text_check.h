// What can be said of a campaign's text before anything parses it.
#pragma once

#include <cstddef>
#include <string_view>

#include "coordinator/loader/issues.h"

namespace fleetmark::coordinator::loader {

inline constexpr std::size_t kMostText = 1024 * 1024;
// The parser's time grows with the square of a line's length: 1 MiB on one line took it minutes.
inline constexpr std::size_t kLongestLine = 4096;

// Size, UTF-8, control characters, length of lines, tabs as indentation. Reports the first fault of
// each kind and returns false when there is one.
bool checkText(std::string_view text, Issues& issues);

// Well-formed UTF-8 (no overlong forms, no surrogates): npos, else the offset of the first fault.
std::size_t findInvalidUtf8(std::string_view text);

}  // namespace fleetmark::coordinator::loader
