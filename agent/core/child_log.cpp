#include "agent/core/child_log.h"

#include <algorithm>

namespace fleetmark::agent::core {

namespace {

constexpr std::size_t kLongestLine = 2000;
constexpr std::size_t kTailLines = 5;
constexpr std::size_t kTailLine = 300;

// Bytes of the UTF-8 sequence at the beginning of `text`; 0: there is no valid one.
std::size_t sequenceLength(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = first < 0x80   ? 1
                       : first < 0xc2 ? 0
                       : first < 0xe0 ? 2
                       : first < 0xf0 ? 3
                                      : 4;
  if (first > 0xf4 || length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
  bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = sequenceLength(text);
    auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || ((first < 0x20 && first != '\t') || first == 0x7f)) {
      out += '?';
      length = 1;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string ChildLog::take(std::string line) {
  line = printable(line);
  last_.push_back(line.substr(0, kTailLine));
  if (last_.size() > kTailLines) last_.pop_front();
  line += '\n';
  if (line.size() <= left_) {
    left_ -= line.size();
    return line;
  }
  left_ = 0;
  if (cut_) return {};
  cut_ = true;
  return "(more output of the probe is not kept)\n";
}

std::string ChildLog::feed(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    std::size_t room = kLongestLine - pending_.size();
    std::size_t count = std::min({end, bytes.size(), room});
    pending_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
    bool newline = !bytes.empty() && bytes.front() == '\n';
    if (newline) bytes.remove_prefix(1);
    if (newline || pending_.size() >= kLongestLine) {
      out += take(std::move(pending_));
      pending_.clear();
    }
  }
  return out;
}

std::string ChildLog::finish() {
  if (pending_.empty()) return {};
  std::string line = std::move(pending_);
  pending_.clear();
  return take(std::move(line));
}

std::string ChildLog::tail() const {
  std::string out;
  for (const auto& line : last_) {
    if (line.empty()) continue;
    if (!out.empty()) out += " | ";
    out += printable(line);
  }
  return out;
}

}  // namespace fleetmark::agent::core
