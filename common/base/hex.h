#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fleetmark::base {

std::string toHex(std::string_view bytes);                         // lower case
std::optional<std::string> fromHex(std::string_view hexadecimal);  // nullopt: odd or not hex

}  // namespace fleetmark::base
