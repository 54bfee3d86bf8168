// The head of an HTTP answer, line by line, and whether it is one that a measurement accepts. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fleetmark::agent::probes::internet {

class AnswerHead {
 public:
  static constexpr std::size_t kMostBytes = 64 * 1024;

  // One line with its line break. False: the head is longer than kMostBytes.
  bool line(std::string_view text);
  bool begun() const { return status_ >= 200; }  // interim answers (1xx) don't count
  bool complete() const { return complete_; }
  int status() const { return status_; }
  std::optional<std::int64_t> contentLength() const { return contentLength_; }
  // Empty: status 200 of HTTP/1.1 without content encoding. Else what is wrong, for people.
  std::string objection() const;

 private:
  void header(std::string_view name, std::string_view value);

  std::size_t bytes_ = 0;
  int status_ = 0;
  bool complete_ = false;
  std::string version_, phrase_, location_, encoding_, retryAfter_;
  std::optional<std::int64_t> contentLength_;
};

// What a stranger wrote, fit for one line of a report: printable ASCII, at most `most` characters.
std::string plainText(std::string_view text, std::size_t most);

}  // namespace fleetmark::agent::probes::internet
