// What a person's terminal can show.
#pragma once

#include <cstddef>

namespace fleetmark::platform {

enum class Stream { kOut, kErr };

bool isTerminal(Stream stream);
// Columns of the terminal; `fallback` where it is none or says nothing.
std::size_t terminalWidth(Stream stream, std::size_t fallback);

}  // namespace fleetmark::platform
