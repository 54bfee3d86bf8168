// Quantities with their unit in the type, and the text forms people write and read.
//
// Parsing is strict: a unit is required ("30s", "1GiB"), so nothing is guessed. KiB, MiB, GiB and
// TiB are powers of 1,024; kB, MB, GB and TB powers of 1,000.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fleetmark::base {

using Nanos = std::chrono::nanoseconds;

struct Bytes {
  std::int64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
};

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kGiB = 1024 * kMiB;

// "250ms", "30s", "5m", "2h", "1.5s"; not negative, below 10,000 h. kInvalid says what is wrong.
Result<Nanos> parseDuration(std::string_view text);
// "4KiB", "128MiB", "1.5GB", "512B"; not negative, below 2^62. kInvalid says what is wrong.
Result<Bytes> parseBytes(std::string_view text);

// For people, exact where it can be: 30s, 1m30s, 250ms, 12.5us.
std::string formatDuration(Nanos duration);
// For people: 128 MiB, 1.5 GiB, 512 B (binary units, at most two decimals).
std::string formatBytes(Bytes size);
// 33120 -> "33,120"; decimals are rounded half to even by the C library.
std::string formatThousands(double value, int decimals);

}  // namespace fleetmark::base
