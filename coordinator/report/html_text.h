// Text inside HTML and SVG that says what was meant, whatever it holds.
#pragma once

#include <string>
#include <string_view>

namespace fleetmark::coordinator::report {

// One line for an element's content or a quoted attribute's value.
std::string escapeHtml(std::string_view text);
// The same, with its line breaks and tabs, for a <pre>.
std::string escapeHtmlLines(std::string_view text);

}  // namespace fleetmark::coordinator::report
