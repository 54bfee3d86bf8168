#include "common/base/random.h"

#include <bit>
#include <cstring>
#include <random>

#include "common/base/check.h"

namespace fleetmark::base {

namespace {

std::uint64_t splitMix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

SeededRandom::SeededRandom(std::uint64_t seed) {
  for (auto& word : state_) word = splitMix(seed);
}

std::uint64_t SeededRandom::next() {
  std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t SeededRandom::below(std::uint64_t bound) {
  FM_CHECK(bound > 0);
  std::uint64_t reject = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    std::uint64_t value = next();
    if (value >= reject) return value % bound;
  }
}

double SeededRandom::unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

void SeededRandom::fill(std::span<std::uint8_t> out) {
  std::size_t i = 0;
  for (; i + 8 <= out.size(); i += 8) {
    std::uint64_t word = next();
    std::memcpy(out.data() + i, &word, 8);
  }
  if (i < out.size()) {
    std::uint64_t word = next();
    std::memcpy(out.data() + i, &word, out.size() - i);
  }
}

std::string secureRandomBytes(std::size_t count) {
  std::random_device device;  // getrandom or rdrand in libstdc++, BCryptGenRandom on Windows
  std::string out;
  out.reserve(count + 4);
  while (out.size() < count) {
    auto word = device();
    out.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  out.resize(count);
  return out;
}

Uuid newUuid() {
  std::string bytes = secureRandomBytes(16);
  std::array<std::uint8_t, 16> out{};
  std::memcpy(out.data(), bytes.data(), 16);
  out[6] = static_cast<std::uint8_t>((out[6] & 0x0f) | 0x40);
  out[8] = static_cast<std::uint8_t>((out[8] & 0x3f) | 0x80);
  return Uuid(out);
}

std::uint64_t secureRandomSeed() {
  std::string bytes = secureRandomBytes(8);
  std::uint64_t seed = 0;
  std::memcpy(&seed, bytes.data(), 8);
  return seed;
}

}  // namespace fleetmark::base
