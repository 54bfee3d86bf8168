#include "agent/probes/internet/repeat_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace fleetmark::agent::probes::internet {

void RepeatCheck::reset() { at_ = 0; }

void RepeatCheck::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto offset = static_cast<std::size_t>(at_) % kBlock;
    const auto piece = std::min(bytes.size(), kBlock - offset);
    if (at_ < static_cast<std::int64_t>(kBlock)) {
      std::memcpy(first_.data() + offset, bytes.data(), piece);
    } else {
      compared_ += static_cast<std::int64_t>(piece);
      const bool same = std::memcmp(first_.data() + offset, bytes.data(), piece) == 0;
      if (!same && !wrong_) {
        const auto where = std::mismatch(bytes.begin(), bytes.begin() + piece,
                                         first_.begin() + static_cast<std::ptrdiff_t>(offset));
        wrong_ = at_ + (where.first - bytes.begin());
      }
    }
    at_ += static_cast<std::int64_t>(piece);
    bytes.remove_prefix(piece);
  }
}

std::optional<double> RepeatCheck::bitsPerByte() const {
  const auto known = std::min<std::int64_t>(at_, kBlock);
  if (known == 0) return std::nullopt;
  std::array<std::int64_t, 256> counts{};
  for (std::int64_t i = 0; i < known; ++i) {
    ++counts[static_cast<unsigned char>(first_[static_cast<std::size_t>(i)])];
  }
  double bits = 0;
  for (auto count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(known);
    bits -= share * std::log2(share);
  }
  return bits;
}

}  // namespace fleetmark::agent::probes::internet
