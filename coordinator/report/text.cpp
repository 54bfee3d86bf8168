#include "coordinator/report/text.h"

#include <cstdint>

namespace fleetmark::coordinator::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // 0: the byte at the beginning is no UTF-8
};

// Follows table 3-7 of the Unicode standard: no overlong forms, no surrogates.
CodePoint decode(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t value = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

bool isControl(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || value == 0x2028 || value == 0x2029;
}

bool changesDirection(std::uint32_t value) {
  return value == 0x061C || value == 0x200E || value == 0x200F ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

enum class LineBreaks { kReplace, kKeep };

std::string clean(std::string_view text, LineBreaks breaks) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    CodePoint point = decode(text.substr(i));
    if (point.length == 0) {
      out += kReplacement;
      ++i;
      continue;
    }
    bool kept = breaks == LineBreaks::kKeep && (text[i] == '\n' || text[i] == '\t');
    bool beforeBreak = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (changesDirection(point.value)) {
      out += kReplacement;
    } else if (isControl(point.value) && !kept) {
      if (!beforeBreak) out += ' ';
    } else {
      out += text.substr(i, point.length);
    }
    i += point.length;
  }
  return out;
}

}  // namespace

std::string oneLine(std::string_view text) { return clean(text, LineBreaks::kReplace); }
std::string plainLines(std::string_view text) { return clean(text, LineBreaks::kKeep); }

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (char byte : text) {
    if ((static_cast<std::uint8_t>(byte) & 0xC0) != 0x80) ++count;
  }
  return count;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t count = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    if ((static_cast<std::uint8_t>(text[end]) & 0xC0) != 0x80 && ++count == width) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::string enumerate(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

}  // namespace fleetmark::coordinator::report
