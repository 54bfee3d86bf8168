#include "coordinator/loader/issues.h"

#include <algorithm>
#include <tuple>

#include "common/base/nearest.h"

namespace fleetmark::coordinator::loader {

namespace {

constexpr std::size_t kLongestQuote = 40;
constexpr std::size_t kLongestFileName = 200;

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Ends before a character that would be cut.
std::string_view prefix(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && isContinuation(text[size])) --size;
  return text.substr(0, size);
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  return out;
}

}  // namespace

Issues::Issues(std::string_view fileName)
    : fileName_(printable(prefix(fileName, kLongestFileName))) {}

void Issues::add(Place place, const std::string& message) {
  if (!full()) faults_.push_back({place, message});
}

base::Error Issues::toError() const {
  auto sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < kMost; ++i) {
    if (i > 0) text += "\n";
    text += fileName_ + ":" + std::to_string(sorted[i].place.line) + ":" +
            std::to_string(sorted[i].place.column) + ": " + sorted[i].message;
  }
  if (sorted.size() > kMost) {
    text += "\n" + fileName_ + ": and " + std::to_string(sorted.size() - kMost) +
            (full() ? " or more" : "") + " more faults; correct these first";
  }
  return base::invalid(text);
}

std::string quoted(std::string_view text) {
  auto shown = prefix(text, kLongestQuote);
  return "'" + printable(shown) + (shown.size() < text.size() ? "...'" : "'");
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (auto word : words) {
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  if (auto near = base::nearestName(word, known)) return "; did you mean '" + *near + "'?";
  return "; known: " + joined(known);
}

}  // namespace fleetmark::coordinator::loader
