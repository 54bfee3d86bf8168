#include "agent/probes/internet/answer.h"

#include <algorithm>
#include <charconv>

namespace fleetmark::agent::probes::internet {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1);
}

template <typename Number>
std::optional<Number> numberOf(std::string_view text) {
  Number value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string plainText(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, most));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  if (text.size() > most) out += "...";
  return out;
}

bool AnswerHead::line(std::string_view text) {
  bytes_ += text.size();
  if (bytes_ > kMostBytes) return false;
  if (complete_) return true;  // a trailer
  text = trimmed(text);
  if (text.starts_with("HTTP/")) {
    const auto space = std::min(text.find(' '), text.size());
    const auto rest = trimmed(text.substr(space));
    version_ = plainText(text.substr(0, space), 16);
    status_ = numberOf<int>(rest.substr(0, 3)).value_or(0);
    phrase_ = plainText(trimmed(rest.substr(std::min<std::size_t>(3, rest.size()))), 60);
  } else if (text.empty()) {
    complete_ = begun();
  } else if (const auto colon = text.find(':'); begun() && colon != std::string_view::npos) {
    header(trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1)));
  }
  return true;
}

void AnswerHead::header(std::string_view name, std::string_view value) {
  std::string low(name);
  std::transform(low.begin(), low.end(), low.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (low == "content-length") contentLength_ = numberOf<std::int64_t>(value);
  // What follows may be a secret of somebody's.
  if (low == "location") location_ = plainText(value.substr(0, value.find_first_of("?#")), 200);
  if (low == "content-encoding" && value != "identity") encoding_ = plainText(value, 40);
  if (low == "retry-after") retryAfter_ = plainText(value, 40);
}

std::string AnswerHead::objection() const {
  if (status_ != 200) {
    std::string out = "answered " + std::to_string(status_);
    if (!phrase_.empty()) out += " " + phrase_;
    if (!location_.empty()) {
      out += " and pointed to " + location_ +
             "; redirects aren't followed, since the figure would be another server's";
    }
    if (!retryAfter_.empty()) out += ", retry after " + retryAfter_;
    return out;
  }
  if (version_ != "HTTP/1.1") return "answered with " + version_ + ", HTTP/1.1 was asked for";
  if (!encoding_.empty()) {
    return "answered with content encoding " + encoding_ + ", so bytes on the way aren't payload";
  }
  return {};
}

}  // namespace fleetmark::agent::probes::internet
