#include "coordinator/loader/text_check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/base/units.h"

namespace fleetmark::coordinator::loader {

namespace {

Place placeOf(std::string_view text, std::size_t offset) {
  Place place;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++place.column;
    }
  }
  return place;
}

std::string hexByte(char c) {
  char buffer[8];
  std::snprintf(buffer, sizeof buffer, "0x%02X", static_cast<unsigned char>(c));
  return buffer;
}

// Length of the character at `offset`, 0 when it is malformed.
std::size_t utf8Length(std::string_view text, std::size_t offset) {
  auto at = [&](std::size_t i) -> std::uint32_t {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0u;
  };
  std::uint32_t first = at(0);
  if (first < 0x80) return 1;
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  std::uint32_t second = at(1);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // surrogates
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
  if (first == 0xF4 && second > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

std::size_t findControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) return i;
  }
  return std::string_view::npos;
}

std::size_t findLongLine(std::string_view text) {
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = std::min(text.find('\n', start), text.size());
    if (end - start > kLongestLine) return start;
    start = end + 1;
  }
  return std::string_view::npos;
}

// A tab among the white space that begins a line with something on it.
std::size_t findTabIndent(std::string_view text) {
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = std::min(text.find('\n', start), text.size());
    auto line = text.substr(start, end - start);
    std::size_t content = line.find_first_not_of(" \t\r");
    std::size_t tab = line.find('\t');
    if (content != std::string_view::npos && tab < content && line[content] != '#') {
      return start + tab;
    }
    start = end + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t findInvalidUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = utf8Length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

bool checkText(std::string_view text, Issues& issues) {
  if (text.size() > kMostText) {
    issues.add({}, "the file has " + std::to_string(text.size()) + " bytes, the limit is " +
                       base::formatBytes(base::Bytes{static_cast<std::int64_t>(kMostText)}) + " (" +
                       std::to_string(kMostText) + " bytes); is it really a campaign?");
    return false;
  }
  if (auto bad = findControl(text); bad != std::string_view::npos) {
    issues.add(placeOf(text, bad), "byte " + hexByte(text[bad]) +
                                       " has no place in a campaign; save the file as UTF-8 text");
    return false;
  }
  if (auto bad = findInvalidUtf8(text); bad != std::string_view::npos) {
    issues.add(placeOf(text, bad),
               "byte " + hexByte(text[bad]) + " is not valid UTF-8; save the file as UTF-8 text");
    return false;
  }
  if (auto line = findLongLine(text); line != std::string_view::npos) {
    issues.add(placeOf(text, line), "the line is longer than " + std::to_string(kLongestLine) +
                                        " bytes; write lists and mappings on several lines");
    return false;
  }
  if (auto tab = findTabIndent(text); tab != std::string_view::npos) {
    issues.add(placeOf(text, tab), "a tab is used for indentation; use spaces");
    return false;
  }
  return true;
}

}  // namespace fleetmark::coordinator::loader
