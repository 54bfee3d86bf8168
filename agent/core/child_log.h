// The child's standard error: cut into lines, bounded, made printable, its last lines kept for
// messages. One owner, one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace fleetmark::agent::core {

class ChildLog {
 public:
  explicit ChildLog(std::size_t mostBytes) : left_(mostBytes) {}

  // Takes bytes as they come; returns the whole lines that are to be passed on, each with its
  // newline, or "". Once the bound is reached one line says so and the rest is only kept as tail.
  std::string feed(std::string_view bytes);
  std::string finish();  // the last line, when it has no newline

  // The last lines in one: "a | b | c"; "" when there was nothing.
  std::string tail() const;

 private:
  std::string take(std::string line);

  std::size_t left_;
  bool cut_ = false;
  std::string pending_;
  std::deque<std::string> last_;
};

// Valid UTF-8 without control characters: others become '?'.
std::string printable(std::string_view text);

}  // namespace fleetmark::agent::core
