#include "common/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace fleetmark::base {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 6> kDurationUnits{{
    {"ns", 1.0},
    {"us", 1e3},
    {"ms", 1e6},
    {"s", 1e9},
    {"m", 60e9},
    {"h", 3600e9},
}};

constexpr std::array<Unit, 9> kByteUnits{{
    {"B", 1.0},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"KiB", 1024.0},
    {"MiB", 1048576.0},
    {"GiB", 1073741824.0},
    {"TiB", 1099511627776.0},
}};

template <std::size_t N>
Result<double> parseQuantity(std::string_view text, const std::array<Unit, N>& units,
                             std::string_view kind, std::string_view examples, double limit) {
  double number = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  auto [rest, code] = std::from_chars(begin, end, number, std::chars_format::fixed);
  auto fail = [&](std::string_view why) -> Error {
    return invalid("'" + std::string(text.substr(0, 40)) + "' is not a " + std::string(kind) +
                   ": " + std::string(why) + "; write for example " + std::string(examples));
  };
  if (code != std::errc() || rest == begin) return fail("no number at its beginning");
  if (!(number >= 0) || !std::isfinite(number)) return fail("negative");
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit.empty()) return fail("the unit is missing");
  for (const auto& known : units) {
    if (known.name == unit) {
      double value = number * known.factor;
      if (value >= limit) return fail("too large");
      return value;
    }
  }
  return fail("unknown unit '" + std::string(unit.substr(0, 20)) + "'");
}

}  // namespace

Result<Nanos> parseDuration(std::string_view text) {
  auto value = parseQuantity(text, kDurationUnits, "duration", "30s, 250ms, 5m or 2h", 3.6e16);
  if (!value) return value.error();
  return Nanos(std::llround(*value));
}

Result<Bytes> parseBytes(std::string_view text) {
  auto value =
      parseQuantity(text, kByteUnits, "size", "4KiB, 128MiB or 1GiB", 4611686018427387904.0);
  if (!value) return value.error();
  double rounded = std::round(*value);
  if (std::abs(rounded - *value) > 1e-6) {
    return invalid("'" + std::string(text.substr(0, 40)) + "' is not a whole number of bytes");
  }
  return Bytes{static_cast<std::int64_t>(rounded)};
}

std::string formatDuration(Nanos duration) {
  std::int64_t ns = duration.count();
  if (ns < 0) return "-" + formatDuration(-duration);
  char buffer[64];
  auto print = [&](double value, const char* unit) {
    std::snprintf(buffer, sizeof buffer, "%.3g%s", value, unit);
    return std::string(buffer);
  };
  if (ns < 1'000) return std::to_string(ns) + "ns";
  if (ns < 1'000'000) return print(static_cast<double>(ns) / 1e3, "us");
  if (ns < 1'000'000'000) return print(static_cast<double>(ns) / 1e6, "ms");
  if (ns < 60'000'000'000) return print(static_cast<double>(ns) / 1e9, "s");
  std::int64_t seconds = (ns + 500'000'000) / 1'000'000'000;
  std::string out;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + "h";
  if (seconds % 3600 >= 60) out += std::to_string(seconds % 3600 / 60) + "m";
  if (seconds % 60 != 0) out += std::to_string(seconds % 60) + "s";
  return out;
}

std::string formatBytes(Bytes size) {
  static constexpr std::array<std::string_view, 5> kNames{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(size.count);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.2f", value);
  std::string out = buffer;
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out + " " + std::string(kNames[unit]);
}

std::string formatThousands(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  std::string out = buffer;
  auto point = out.find('.');
  auto first = static_cast<std::size_t>(out[0] == '-' ? 1 : 0);
  for (std::size_t i = point == std::string::npos ? out.size() : point; i > first + 3;) {
    i -= 3;
    out.insert(i, ",");
  }
  return out;
}

}  // namespace fleetmark::base
