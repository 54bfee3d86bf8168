// Two kinds of randomness, not to be mixed: a seeded generator whose sequence is part of a
// recorded measurement (order, offsets, payloads), and the system's for ids and tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "common/base/ids.h"

namespace fleetmark::base {

// xoshiro256** (Blackman and Vigna, 2018), state filled by SplitMix64 from the seed. The sequence
// is fixed for ever: a stored seed must replay. Not for secrets.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed);
  std::uint64_t next();
  // Uniform in [0, bound), bound > 0, without modulo bias.
  std::uint64_t below(std::uint64_t bound);
  double unit();  // [0, 1) with 53 bits
  void fill(std::span<std::uint8_t> out);

  template <typename Container>
  void shuffle(Container& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  std::uint64_t state_[4];
};

std::string secureRandomBytes(std::size_t count);  // from the operating system
Uuid newUuid();                                    // version 4, from the operating system
std::uint64_t secureRandomSeed();

}  // namespace fleetmark::base
