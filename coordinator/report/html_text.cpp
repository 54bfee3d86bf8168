#include "coordinator/report/html_text.h"

#include "coordinator/report/text.h"

namespace fleetmark::coordinator::report {

namespace {

std::string escapedMarkup(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string escapeHtml(std::string_view text) { return escapedMarkup(oneLine(text)); }
std::string escapeHtmlLines(std::string_view text) { return escapedMarkup(plainLines(text)); }

}  // namespace fleetmark::coordinator::report
