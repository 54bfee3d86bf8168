// Text of users and hosts is shown on terminals and in documents: nothing in it may move a
// cursor, reverse the line or break it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fleetmark::coordinator::report {

// One line of valid UTF-8: line breaks and other control characters become a space, bidirectional
// overrides and bytes that are no UTF-8 become U+FFFD.
std::string oneLine(std::string_view text);
// The same, but line feeds stay (a CR before one goes) and tabs as well.
std::string plainLines(std::string_view text);
// Columns on a terminal, one per code point (wide and combining characters are not looked up).
// `text` is valid UTF-8.
std::size_t columns(std::string_view text);
// At most `width` columns; what is cut ends in an ellipsis.
std::string shorten(std::string_view text, std::size_t width);
// "a, b and c".
std::string enumerate(const std::vector<std::string>& items);

}  // namespace fleetmark::coordinator::report
