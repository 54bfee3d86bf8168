// Where rendered text goes, piece by piece, so that a report of a million samples is never in
// memory as a whole.
#pragma once

#include <string>
#include <string_view>

namespace fleetmark::coordinator::report {

// A write that fails is remembered by the output, whose owner asks it afterwards; rendering goes
// on without effect.
class Output {
 public:
  virtual ~Output() = default;
  virtual void write(std::string_view piece) = 0;
};

class StringOutput final : public Output {
 public:
  void write(std::string_view piece) override { text_ += piece; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Pieces handed on are at most this long, but for a single longer text.
inline constexpr std::size_t kPieceBytes = 64 * 1024;

// Gathers small pieces; flush() when done.
class Pieces {
 public:
  explicit Pieces(Output& output) : output_(output) {}
  void add(std::string_view text) {
    if (buffer_.size() + text.size() > kPieceBytes) flush();
    buffer_ += text;
  }
  void flush() {
    if (!buffer_.empty()) output_.write(buffer_);
    buffer_.clear();
  }

 private:
  Output& output_;
  std::string buffer_;
};

}  // namespace fleetmark::coordinator::report
