// Whether an answer is one block over and over, as a librespeed server sends it: a byte that was
// lost, doubled or changed on the way shifts or breaks the pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/units.h"

namespace fleetmark::agent::probes::internet {

// One owner, one thread. Costs a copy for the first block and a comparison after it.
class RepeatCheck {
 public:
  static constexpr std::size_t kBlock = base::kMiB;

  RepeatCheck() : first_(kBlock) {}
  void reset();  // the next answer
  void feed(std::string_view bytes);
  std::int64_t compared() const { return compared_; }                // bytes after first blocks
  std::optional<std::int64_t> firstWrong() const { return wrong_; }  // offset within its answer
  // Shannon entropy of the first block's bytes, 8 for random ones. Not for a timed window.
  std::optional<double> bitsPerByte() const;

 private:
  std::vector<char> first_;
  std::int64_t at_ = 0;
  std::int64_t compared_ = 0;
  std::optional<std::int64_t> wrong_;
};

}  // namespace fleetmark::agent::probes::internet
